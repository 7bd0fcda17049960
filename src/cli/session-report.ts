import claimTaxonomy from '../../data/taxonomy/claims.json' with { type: 'json' };
import { RECORDING_LABELS } from '../services/analysis/report/recording-labels.ts';
import type { AnalysisSession } from '../services/analysis/resources/analysis-session.ts';
import { clockTime } from '../services/analysis/resources/clock-time.ts';
import { byWeight, countedPassages } from '../services/analysis/resources/technique-weight.ts';
import { shippedVerdictRules } from '../services/analysis/resources/verdict-rules.ts';
import { nameOf, REPORT_LABELS } from './labels.ts';
import { leadingPictureLines, pictureLines } from './picture-lines.ts';
import { recordingLines } from './recording-lines.ts';

/** How a report is drawn. */
export interface ReportStyle {
  readonly language: 'en' | 'ro';
  /** Columns of the terminal. */
  readonly width: number;
  readonly colour: boolean;
}

/** Findings of one kind that a report shows; the whole list is in `--json`. */
const SHOWN = 6;
const BAR = 20;
const LONGEST_QUOTE = 70;

type Score = keyof (typeof REPORT_LABELS)['en']['names'];
const SCORES: readonly Score[] = ['manipulation', 'claims', 'ai', 'source', 'context'];

/** Paints text; without colour it stays as it is. */
function painter(colour: boolean) {
  const paint = (open: string) => (text: string) => (colour ? `\u001b[${open}m${text}\u001b[0m` : text);
  const hex = (value: string) => {
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(value.slice(at, at + 2), 16));
    return paint(`1;38;2;${red};${green};${blue}`);
  };
  return { bold: paint('1'), faint: paint('2'), hex };
}

/** A number with the decimal sign of the language. */
function decimal(value: number, places: number, language: 'en' | 'ro'): string {
  const text = value.toFixed(places);
  return language === 'ro' ? text.replace('.', ',') : text;
}

const statusNames = new Map(claimTaxonomy.statuses.map((status) => [status.code, status]));

/** Breaks a text into lines of at most `width` columns. */
export function wrap(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(indent + line);
  return lines;
}

/** A quote on one line, shortened in its middle. */
export function shortenQuote(quote: string, longest: number): string {
  const points = [...quote.replace(/\s+/g, ' ').trim()];
  if (points.length <= longest) return points.join('');
  const half = Math.floor((longest - 1) / 2);
  return `${points.slice(0, half).join('')}…${points.slice(-half).join('')}`;
}

function bar(score: number): string {
  const filled = Math.round((score / 100) * BAR);
  return '█'.repeat(filled) + '░'.repeat(BAR - filled);
}

const band = (category: string | null) =>
  shippedVerdictRules.risk_bands.find(({ risk_category }) => risk_category === category) ??
  shippedVerdictRules.inconclusive;

function headline(session: AnalysisSession, style: ReportStyle): string[] {
  const labels = REPORT_LABELS[style.language];
  const { bold, faint, hex } = painter(style.colour);
  const look = band(session.risk_category);
  const name = style.language === 'ro' ? look.category_ro : look.category_en;
  const level = shippedVerdictRules.confidence_levels.find(({ code }) => code === session.confidence_level);
  const risk = session.risk_score === null ? '–' : `${decimal(session.risk_score, 1, style.language)} / 100`;
  const confidence = `${decimal(session.confidence ?? 0, 2, style.language)} (${(level?.[style.language] ?? '–').toLowerCase()})`;
  return [
    '',
    `  ${hex(style.colour ? look.color_hex_dark : look.color_hex)(name)}  ${bold(`${labels.risk} ${risk}`)}  ${faint(`${labels.confidence} ${confidence}`)}`,
    '',
  ];
}

function scoreLines(session: AnalysisSession, style: ReportStyle): string[] {
  const { verdict } = session;
  if (verdict === null) return [];
  const labels = REPORT_LABELS[style.language];
  const { bold, faint } = painter(style.colour);
  const rows = SCORES.map((name) => {
    const score = verdict[`score_${name}`];
    const label = labels.names[name].padEnd(18);
    if (score === null) return faint(`    ${label} ${labels.notUsed}`);
    const weight = decimal(verdict.applied_weights[name], 2, style.language);
    return `    ${label} ${decimal(score, 1, style.language).padStart(5)} ${faint(`× ${weight}`)}  ${bar(score)}`;
  });
  const adjusted =
    verdict.override_type === null
      ? []
      : [
          `    ${labels.adjustment.padEnd(18)} ${verdict.override_adjustment >= 0 ? '+' : ''}${decimal(verdict.override_adjustment, 1, style.language)} ${faint((style.language === 'ro' ? verdict.override_reason_ro : verdict.override_reason) ?? '')}`,
        ];
  return [`  ${bold(labels.scores)}`, ...rows, ...adjusted, ''];
}

/** A titled list with at most SHOWN rows, and how many more there are. */
function section(title: string, rows: readonly string[], style: ReportStyle): string[] {
  if (rows.length === 0) return [];
  const { bold, faint } = painter(style.colour);
  const rest = rows.length - SHOWN;
  const more = rest > 0 ? [faint(`    + ${rest} ${REPORT_LABELS[style.language].more}`)] : [];
  return [`  ${bold(`${title} (${rows.length})`)}`, ...rows.slice(0, SHOWN), ...more, ''];
}

function findingLines(session: AnalysisSession, style: ReportStyle): string[] {
  const labels = REPORT_LABELS[style.language];
  const { faint } = painter(style.colour);
  const [open, close] = style.language === 'ro' ? ['„', '”'] : ['“', '”'];
  const quote = (text: string, at: number | undefined) => {
    const time = at === undefined ? '' : `${clockTime(at)} `;
    return faint(`${time}${open}${shortenQuote(text, Math.min(LONGEST_QUOTE, style.width - 12))}${close}`);
  };
  const name = (item: { name_en: string; name_ro: string }) =>
    style.language === 'ro' ? item.name_ro : item.name_en;
  const status = (code: string) => {
    const known = statusNames.get(code);
    return (style.language === 'ro' ? known?.name_ro : known?.name_en)?.toLowerCase() ?? code;
  };
  const techniques = [...(session.techniques?.techniques_detected ?? [])].sort(byWeight).map((item) => {
    const shown = countedPassages(item)[0] ?? item.spans[0];
    return `    ${name(item)} ${faint(decimal(item.confidence, 2, style.language))}\n      ${quote(shown?.quote ?? '', shown?.start_s)}`;
  });
  const claims = [...(session.claims?.claims_verified ?? [])]
    .filter(({ status }) => status !== 'opinion')
    .sort((one, two) => two.checkworthiness - one.checkworthiness)
    .map(
      (item) =>
        `    ${quote(item.text, item.span.start_s)} ${faint(`${status(item.status)}, ${decimal(item.checkworthiness, 2, style.language)}`)}`,
    );
  const indicators = (session.ai_tampered?.indicators_detected ?? []).map(
    (item) => `    ${style.language === 'ro' ? item.explanation_ro : item.explanation_en}`,
  );
  return [
    ...section(labels.techniques, techniques, style),
    ...section(labels.claims, claims, style),
    ...section(
      session.input_type === 'text' || session.input_type === 'url'
        ? labels.indicators
        : labels.pictureIndicators,
      indicators,
      style,
    ),
    ...pictureSection(session, style),
    ...recordingSection(session, style),
    ...sourceLines(session, style),
  ];
}

/** The findings on a picture and its earlier sessions; for a page, those on its leading pictures. */
function pictureSection({ ai_tampered: ai }: AnalysisSession, style: ReportStyle): string[] {
  if (ai === null) return [];
  const { bold } = painter(style.colour);
  if (ai.leading_pictures !== null && ai.leading_pictures.length > 0) {
    const lines = ai.leading_pictures.flatMap((picture) => leadingPictureLines(picture, style.language));
    const rows = lines.flatMap((line) => wrap(line, style.width, line.startsWith(' ') ? '      ' : '    '));
    return [`  ${bold(REPORT_LABELS[style.language].leadingPictures)}`, ...rows, ''];
  }
  if (ai.image_analysis === null) return [];
  const lines = pictureLines(ai.image_analysis, style.language).flatMap((line) =>
    wrap(line, style.width, '    '),
  );
  return [`  ${bold(REPORT_LABELS[style.language].picture)}`, ...lines, ''];
}

/** What is said and seen in a recording, and what was found. */
function recordingSection(session: AnalysisSession, { language, width, colour }: ReportStyle): string[] {
  const lines = recordingLines(session, language).flatMap((line) => wrap(line, width, '    '));
  return lines.length === 0
    ? []
    : [`  ${painter(colour).bold(RECORDING_LABELS[language].title)}`, ...lines, ''];
}

function sourceLines({ domain }: AnalysisSession, style: ReportStyle): string[] {
  if (domain === null) return [];
  const { bold, faint } = painter(style.colour);
  const trust = domain.trust_score === null ? '–' : `${domain.trust_score} / 100`;
  const flags = [...domain.red_flags, ...domain.warnings].join(', ');
  return [
    `  ${bold(REPORT_LABELS[style.language].source)}`,
    `    ${domain.domain ?? '–'}  ${trust}  ${domain.verdict ?? ''}`.trimEnd(),
    ...(flags === '' ? [] : [faint(`    ${flags}`)]),
    '',
  ];
}

function missingLines(session: AnalysisSession, style: ReportStyle): string[] {
  const labels = REPORT_LABELS[style.language];
  const { faint } = painter(style.colour);
  const { language } = style;
  const skipped = session.skipped.map(
    ({ component, reason, reason_ro }) =>
      `  ${labels.skipped}: ${nameOf(component, language)}. ${language === 'ro' ? reason_ro : reason}`,
  );
  const degraded = session.degraded.map(
    ({ message, message_ro }) => `  ${language === 'ro' ? message_ro : message}`,
  );
  const ai = session.ai_tampered;
  const withheld =
    ai === null || ai.reason === null
      ? []
      : [
          `  ${labels.noProbability}: ${nameOf('ai_tampered', language)}. ${language === 'ro' ? ai.reason_ro : ai.reason}`,
        ];
  return [...skipped, ...withheld, ...degraded, `  ${labels.session} ${session.session_id}`].map(faint);
}

/** The report of a session for the terminal. */
export function report(session: AnalysisSession, style: ReportStyle): string {
  const explanation =
    style.language === 'ro' ? session.verdict?.explanation_ro : session.verdict?.explanation_en;
  return [
    ...headline(session, style),
    ...wrap(explanation ?? session.error_code ?? '', style.width, '  '),
    '',
    ...scoreLines(session, style),
    ...findingLines(session, style),
    ...missingLines(session, style),
    '',
  ].join('\n');
}
