import genreData from '../../../../data/context/genres.json' with { type: 'json' };
import topicData from '../../../../data/context/topics.json' with { type: 'json' };
import signalData from '../../../../data/domains/signals.json' with { type: 'json' };
import aiIndicators from '../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import claimTaxonomy from '../../../../data/taxonomy/claims.json' with { type: 'json' };
import techniqueMeta from '../../../../data/taxonomy/technique-meta.json' with { type: 'json' };
import type { ReasonLanguage } from '../reasons.ts';
import type { VerdictRules } from '../resources/verdict-rules.ts';

interface CodeName {
  readonly code: string;
  readonly en: string;
  readonly ro: string;
}

/** Names by code, in a language; a code without a name is shown as it is. */
function namesOf(rows: readonly CodeName[]): (code: string, language: ReasonLanguage) => string {
  const byCode = new Map(rows.map((row) => [row.code, row]));
  return (code, language) => byCode.get(code)?.[language] ?? code.replaceAll('_', ' ');
}

const withNames = (rows: readonly { code: string; name_en: string; name_ro: string }[]): CodeName[] =>
  rows.map(({ code, name_en, name_ro }) => ({ code, en: name_en, ro: name_ro }));

/** Name of a claim status. */
export const claimStatusName = namesOf(withNames(claimTaxonomy.statuses));
/** Name of a kind of claim. */
export const claimTypeName = namesOf(withNames(claimTaxonomy.types));
/** How a piece of evidence stands to a claim. */
export const stanceName = namesOf(withNames(claimTaxonomy.stances));
/** What the decided claims say together. */
export const interpretationName = namesOf(claimTaxonomy.interpretation_bands);
/** Name of a group of techniques. */
export const dimensionName = namesOf(withNames(techniqueMeta.dimensions));
/** Name of a verdict on AI and tampering. */
export const aiVerdictName = namesOf(withNames(aiIndicators.verdicts));
/** Name of a group of traces. */
export const aiCategoryName = namesOf(withNames(aiIndicators.categories));
/** What was noticed of a domain. */
export const domainSignalName = namesOf(
  signalData.map(({ code, text_en, text_ro }) => ({ code, en: text_en, ro: text_ro })),
);
/** Name of a genre. */
export const genreName = namesOf([
  ...withNames(genreData.genres),
  { code: 'other', en: 'Other', ro: 'Altul' },
]);
const topicNames = new Map(
  topicData.topics.flatMap(({ code, name_en, name_ro }) =>
    name_en === undefined || name_ro === undefined ? [] : [[code, { en: name_en, ro: name_ro }]],
  ),
);

/** Name of a topic; those of sensitive topics stand in the rules of verdicts. */
export function topicName(
  code: string,
  sensitiveTopics: VerdictRules['sensitive_topics'],
  language: ReasonLanguage,
): string {
  if (code === 'other') return language === 'ro' ? 'Alta' : 'Other';
  const named = sensitiveTopics.find((topic) => topic.code === code) ?? topicNames.get(code);
  return named?.[language] ?? code.replaceAll('_', ' ');
}

/** The name of a language by its ISO 639-1 code. */
export function languageName(code: string, language: ReasonLanguage): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** A name out of a table, else the fallback: codes come from records, and `valueOf` is in no table. */
export function nameFromTable<Name extends string>(
  table: Readonly<Record<string, Name>>,
  code: string,
  otherwise: Name,
): Name {
  return Object.hasOwn(table, code) ? (table[code] ?? otherwise) : otherwise;
}
