import type { ReasonLanguage } from '../reasons.ts';
import type { IndicatorItem } from '../resources/ai-tampered-result.ts';
import type { AnalysisSession } from '../resources/analysis-session.ts';
import type { ClaimItem } from '../resources/claims-result.ts';
import type { Span } from '../resources/finding.ts';
import { byWeight } from '../resources/technique-weight.ts';
import type { TechniqueItem } from '../resources/techniques-result.ts';
import type { VerdictRules } from '../resources/verdict-rules.ts';
import { LABELS, type Labels } from './labels.ts';
import { claimStatusName } from './names.ts';
import type { FindingPassage, PassageKind } from './passages.ts';
import { type RecordDetails, recordDetailsOf } from './record-details.ts';

/** The data that a report is made from. */
export interface ReportSource {
  readonly session: AnalysisSession;
  /** The rules that the verdict names; they hold the names of categories and levels. */
  readonly rules: VerdictRules;
  readonly madeAt: Date;
  /** Version of the product. */
  readonly version: string;
  /** Pictures that the report shows, as data addresses by the id of their medium. */
  readonly pictures?: ReadonlyMap<string, string>;
}

/** A finding with its number in the report, such as T1. */
export interface Numbered<Item> {
  readonly number: string;
  readonly item: Item;
}

/** A line of the context rules, a narrative or a sign of a scam, in one language. */
export interface ContextSign {
  readonly name: string;
  /** Points of the context score; null for a sign that carries none. */
  readonly points: number | null;
  readonly remark: string | null;
  readonly spans: readonly Span[];
}

/** One language of a report: the session with everything that the sections show of it. */
export interface ReportView extends ReportSource {
  readonly language: ReasonLanguage;
  readonly labels: Labels;
  readonly details: RecordDetails;
  /** The strongest first. */
  readonly techniques: readonly Numbered<TechniqueItem>[];
  /** In the order of the text. */
  readonly claims: readonly Numbered<ClaimItem>[];
  readonly indicators: readonly Numbered<IndicatorItem>[];
  readonly signs: readonly Numbered<ContextSign>[];
}

function numbered<Item>(items: readonly Item[], letter: string): Numbered<Item>[] {
  return items.map((item, index) => ({ number: `${letter}${index + 1}`, item }));
}

/** What the context rules, the narratives and the sign of a scam found; rules without points found nothing. */
function signsOf(details: RecordDetails, language: ReasonLanguage, labels: Labels): ContextSign[] {
  const rules = (details.rules ?? [])
    .filter(({ points }) => points > 0)
    .sort((one, two) => two.points - one.points)
    .map((line) => ({
      name: line[`text_${language}`],
      points: line.points,
      remark: null,
      spans: line.spans,
    }));
  const narratives = (details.narratives ?? []).map((line) => ({
    name: line[`name_${language}`],
    points: null,
    remark: `${labels.narratives}: ${labels[line.stance]}`,
    spans: line.spans,
  }));
  const { scam } = details;
  const scams =
    scam === undefined || scam === null
      ? []
      : [{ name: scam[`name_${language}`], points: null, remark: labels.scam, spans: scam.spans }];
  return [...rules, ...narratives, ...scams];
}

/** The session as one language of the report shows it. */
export function reportViewOf(source: ReportSource, language: ReasonLanguage): ReportView {
  const { session } = source;
  const labels = LABELS[language];
  const details = recordDetailsOf(session.verdict?.context_summary);
  const techniques = [...(session.techniques?.techniques_detected ?? [])].sort(byWeight);
  const claims = [...(session.claims?.claims_verified ?? [])].sort(
    (one, two) => one.span.start - two.span.start,
  );
  return {
    ...source,
    language,
    labels,
    details,
    techniques: numbered(techniques, labels.letters.technique),
    claims: numbered(claims, labels.letters.claim),
    indicators: numbered(session.ai_tampered?.indicators_detected ?? [], labels.letters.indicator),
    signs: numbered(signsOf(details, language, labels), labels.letters.context),
  };
}

/** Every finding that has a place in the text. */
export function findingPassages(view: ReportView): FindingPassage[] {
  const { language } = view;
  const passage = (
    kind: PassageKind,
    number: string,
    name: string,
    spans: FindingPassage['spans'],
  ): FindingPassage => ({
    kind,
    number,
    name,
    spans,
  });
  return [
    ...view.techniques.map(({ number, item }) =>
      passage('technique', number, item[`name_${language}`], item.spans),
    ),
    ...view.claims.map(({ number, item }) =>
      passage('claim', number, claimStatusName(item.status, language), [item.span]),
    ),
    ...view.indicators.map(({ number, item }) =>
      passage(
        'indicator',
        number,
        item[`explanation_${language}`],
        item.where !== null && 'quote' in item.where ? [item.where] : [],
      ),
    ),
    ...view.signs.map(({ number, item }) => passage('context', number, item.name, item.spans)),
  ];
}
