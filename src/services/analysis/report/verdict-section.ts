import { type Html, html } from '../../../foundation/html.ts';
import { MEDIA_TYPE_WORDS } from '../resources/media-types.ts';
import type { VerdictRules } from '../resources/verdict-rules.ts';
import { formatDateTime, formatDecimal, formatPercent } from './format.ts';
import { factList, link, section } from './html-elements.ts';
import { genreName, languageName, topicName } from './names.ts';
import type { ReportView } from './view.ts';

/** Longest title, in code points. */
const LONGEST_TITLE = 140;

/** The code of a content whose language is not known, or that has none. */
const UNKNOWN_LANGUAGE = 'und';

/** The scale is drawn in a box of this many units. */
const SCALE = { width: 400, height: 14 };

/** The category of the session, for its name, texts and colours. */
export function categoryOf({ session, rules }: Pick<ReportView, 'session' | 'rules'>) {
  const known = rules.risk_bands.find((band) => band.risk_category === session.risk_category);
  return known ?? rules.inconclusive;
}

/** What the content is called: its title, its address, the beginning of its text or its kind; the address of a stored medium says nothing. */
export function titleOf({ session, language }: Pick<ReportView, 'session' | 'language'>): string {
  const firstLine = session.input_text?.trim().split(/\n/u, 1)[0] ?? '';
  const title = session.input_title ?? session.input_url ?? firstLine;
  const points = [...title.replace(/\s+/gu, ' ').trim()];
  if (points.length === 0) return MEDIA_TYPE_WORDS[session.input_type].title[language];
  return points.length <= LONGEST_TITLE ? points.join('') : `${points.slice(0, LONGEST_TITLE).join('')}…`;
}

/** The head of the report: what was analysed, when, and of what kind it is. */
export function reportHead(view: ReportView): Html {
  const { session, rules, labels, language, details } = view;
  const address = session.input_url ?? session.input_media_url;
  const topic = session.topic_applied;
  const genre = details.genre?.code;
  return html`<header class="head">
<p class="kicker"><span class="brand">Limpede</span> ${labels.report}</p>
<h1>${titleOf(view)}</h1>
${address === null ? null : html`<p class="address">${labels.source}: ${link(address, address)}</p>`}
${factList([
  [labels.analysedOn, formatDateTime(session.completed_at ?? session.created_at, language)],
  [labels.type, MEDIA_TYPE_WORDS[session.input_type].title[language]],
  [
    labels.textLanguage,
    session.input_language === null || session.input_language === UNKNOWN_LANGUAGE
      ? null
      : languageName(session.input_language, language),
  ],
  [labels.genre, genre === undefined ? null : genreName(genre, language)],
  [labels.topic, topic === null ? null : topicName(topic, rules.sensitive_topics, language)],
  [labels.revision, session.revision > 1 ? session.revision : null],
])}
</header>
`;
}

/** The scale from 0 to 100 with its bands and a mark at the score, with a text alternative. */
function scale(view: ReportView, score: number): Html {
  const { rules, labels, language } = view;
  const { width, height } = SCALE;
  const at = (value: number) => Number(((value / 100) * width).toFixed(1));
  const bands = rules.risk_bands.map((band, index) => {
    const end = rules.risk_bands[index + 1]?.min ?? 100;
    return html`<rect class="band band-${index}" x="${at(band.min)}" y="8" width="${at(end) - at(band.min)}" height="${height}"/>`;
  });
  const edges = rules.risk_bands.map(
    ({ min }) => html`<text class="tick" x="${at(min)}" y="${height + 20}">${min}</text>`,
  );
  const x = at(score);
  return html`<svg class="scale" viewBox="-6 0 ${width + 24} ${height + 26}" role="img" aria-label="${labels.scale}: ${formatDecimal(score, 1, language)}">
${bands}
<path class="marker" d="M${x} 6 l-6 -6 h12 z"/><rect class="marker" x="${x - 1}" y="5" width="2" height="${height + 5}"/>
${edges}<text class="tick" x="${width}" y="${height + 20}">100</text>
</svg>`;
}

function adviceOf(rules: VerdictRules, code: string) {
  return rules.recommended_actions.find((action) => action.code === code);
}

function stateNote({ session, labels }: ReportView): Html | null {
  const { status } = session;
  return status === 'completed' ? null : html`<p class="note">${labels.status[status]}</p>`;
}

/** The score with its category and confidence, on the colour of the category. */
function scoreCard(view: ReportView): Html {
  const { session, rules, labels, language } = view;
  const { risk_score: score, confidence } = session;
  const level = rules.confidence_levels.find(({ code }) => code === session.confidence_level);
  const number = score === null ? '–' : formatDecimal(score, 1, language);
  const unit = score === null ? labels.noScore : labels.of100;
  const certainty =
    confidence === null
      ? null
      : html`<p class="certainty"><span>${labels.confidence}</span> <strong>${formatPercent(confidence, language)}</strong>${level === undefined ? null : html` · ${level[language].toLowerCase()}`}</p>
`;
  return html`<div class="verdict-main">
<p class="category">${categoryOf(view)[`category_${language}`]}</p>
<p class="figure"><span class="figure-number">${number}</span> <span class="figure-of">${unit}</span></p>
<p class="figure-label">${labels.riskScore}</p>
${certainty}</div>
`;
}

/** The verdict: score, category, confidence and what to do. */
export function verdictSection(view: ReportView): Html {
  const { session, rules, labels, language } = view;
  const { verdict, risk_score: score } = session;
  const advice = verdict === null ? undefined : adviceOf(rules, verdict.recommended_action);
  const decided = verdict?.override_type === 'human_ground_truth';
  const body = html`${stateNote(view)}<div class="verdict">
${scoreCard(view)}<div class="verdict-side">
${score === null ? null : scale(view, score)}
<p>${categoryOf(view)[`text_${language}`]}</p>
${advice === undefined ? null : html`<p class="advice">${labels.advice}: <strong>${advice[`name_${language}`]}.</strong> ${advice[`text_${language}`]}</p>`}
${decided ? html`<p class="note">${labels.decidedByPerson}</p>` : null}
</div>
</div>
`;
  return section(view, 'verdict', labels.verdict, body);
}

/** The explanation, and who wrote it. */
export function explanationSection(view: ReportView): Html | null {
  const { session, labels, language, details } = view;
  if (session.verdict === null) return null;
  const author = details.explained_by;
  const byModel = author !== undefined && author.prompt !== null;
  const written = byModel ? labels.explainedByModel.replace('{model}', author.model) : labels.explainedByOwn;
  return section(
    view,
    'explanation',
    labels.explanation,
    html`<p class="lead">${session.verdict[`explanation_${language}`]}</p>
<p class="aside">${written}</p>`,
  );
}
