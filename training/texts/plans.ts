/** The classifiers that training/texts.ts makes: which rows, which labels. */
import type { CharacterRuns } from '../../src/text/text-classifier.ts';
import type { RawRow } from '../evaluate/rows.ts';
import { languageOf, textOf } from '../evaluate/rows.ts';
import type { RatioRecipe } from './ratios.ts';
import type { WrittenFile } from './written.ts';

/** A classifier to be made. */
export interface TextPlan {
  /** Name of the files in models/, and of the model. */
  readonly name: string;
  /** Counts the models of this name, from 1. */
  readonly edition?: number;
  /** Folder of the training rows. */
  readonly task: string;
  readonly language: 'en' | 'ro';
  readonly link: 'softmax' | 'logistic';
  readonly labels: readonly string[];
  /** For each label 1 or 0, NaN where it was not annotated; undefined for a row that is no example. */
  targets(row: RawRow): readonly number[] | undefined;
  readonly bits: number;
  readonly epochs: number;
  readonly rate: number;
  readonly l2: number;
  /** The text of a row, by the name of its field, and what it is compared with; `text` alone where nothing is said. */
  readonly fields?: { readonly text: string; readonly other: string };
  /** How the part of the vectors is fitted, where not as usual. */
  readonly vectors?: { readonly epochs: number; readonly rate: number; readonly decay: number };
  /** Rows that are read at most, drawn at random: vectors cost time. */
  readonly most?: number;
  /** Mix and thresholds are fitted on the unseen scores of all six parts, in place of one: takes six fits for one. */
  readonly isMixedOverFolds?: boolean;
  /** Rows by our own writers that teach beside those of the folder, in both languages, each so many times: they are few. */
  readonly written?: { readonly file: WrittenFile; readonly times: number };
  /** The words are read by machines over ratios (training/texts/ratios.ts) instead of by regression. */
  readonly ratios?: Omit<RatioRecipe, 'seed'>;
  readonly characters?: CharacterRuns;
}

const recipe = { bits: 16, epochs: 6, rate: 0.15, l2: 1e-3 } as const;

/** Chosen on a fourth of the Romanian comments that are not held back. */
const machines = {
  bits: 18,
  characters: 'within words',
  ratios: { prior: 0.3, cost: 3, rounds: 8 },
} as const;

const oneOf = (labels: readonly string[]) => (row: RawRow) => {
  const label = textOf(row, 'label');
  return label !== undefined && labels.includes(label)
    ? labels.map((other) => (other === label ? 1 : 0))
    : undefined;
};

const EMOTIONS = ['anger', 'anticipation', 'disgust', 'fear', 'joy', 'sadness', 'surprise', 'trust'];
/** Emotions that a corpus did not ask for. */
const UNASKED: Readonly<Record<string, readonly string[]>> = {
  'REDv2 valid': ['anticipation', 'disgust'],
  'REDv1 train': ['anticipation', 'disgust', 'trust', 'surprise'],
  'REDv1 val': ['anticipation', 'disgust', 'trust', 'surprise'],
};

const labelsOf = (row: RawRow) => (Array.isArray(row.labels) ? row.labels.map(String) : undefined);

/** Emotions that were annotated in a row. */
export function askedEmotions(row: RawRow): string[] {
  const unasked = UNASKED[textOf(row, 'source') ?? ''] ?? [];
  return EMOTIONS.filter((label) => !unasked.includes(label));
}

function emotionTargets(row: RawRow): readonly number[] | undefined {
  const labels = labelsOf(row);
  const asked = askedEmotions(row);
  return (
    labels && EMOTIONS.map((label) => (asked.includes(label) ? Number(labels.includes(label)) : Number.NaN))
  );
}

const SENTIMENTS = ['negative', 'neutral', 'positive'];
const [GOOD, BAD] = [new Set(['joy', 'trust']), new Set(['anger', 'disgust', 'fear', 'sadness'])];

/** Romanian has no rows of sentiment: emotions stand for it, and what has both kinds is no example. */
export function sentimentOfEmotions(row: RawRow): string | undefined {
  const labels = labelsOf(row);
  if (labels === undefined) return undefined;
  const [good, bad] = [labels.some((label) => GOOD.has(label)), labels.some((label) => BAD.has(label))];
  if (good === bad) return labels.length === 0 ? 'neutral' : undefined;
  return good ? 'positive' : 'negative';
}

const emotion = {
  ...recipe,
  task: 'emotion',
  link: 'logistic',
  labels: EMOTIONS,
  targets: emotionTargets,
} as const;
const offenceEn = ['hate', 'offensive', 'neither'];
const offenceRo = ['abuse', 'insult', 'profanity', 'other'];
const ownHeadlineKinds = ['curiosity gap', 'informative'] as const;
/** Headlines of a corpus whose two sides come from different outlets, and those of our own writers, who told both ways apart of one event. */
const headlineKinds = ['listicle', 'agency', ...ownHeadlineKinds];
const headlines = { ...recipe, task: 'clickbait', link: 'softmax' } as const;
function headlineTargets(kinds: readonly string[]): TextPlan['targets'] {
  return (row) => {
    const label = textOf(row, 'label');
    if (label !== 'clickbait' && label !== 'news') return undefined;
    const [teasing, telling] = row.written === true ? ownHeadlineKinds : ['listicle', 'agency'];
    return kinds.map((kind) => (kind === (label === 'clickbait' ? teasing : telling) ? 1 : 0));
  };
}
const stances = ['SUPPORTS', 'REFUTES'];
const climate = [
  'ad hominem',
  'anecdote',
  'cherry picking',
  'conspiracy theory',
  'fake experts',
  'false choice',
  'false equivalence',
  'impossible expectations',
  'misrepresentation',
  'oversimplification',
  'single cause',
  'slothful induction',
];
const comments = [
  'none',
  'appeal to authority',
  'appeal to majority',
  'appeal to nature',
  'appeal to tradition',
  'appeal to worse problems',
  'false dilemma',
  'hasty generalization',
  'slippery slope',
];

/** All of them. */
export const textPlans: readonly TextPlan[] = [
  {
    ...recipe,
    name: 'sentiment-en',
    task: 'sentiment',
    language: 'en',
    link: 'softmax',
    labels: SENTIMENTS,
    targets: oneOf(SENTIMENTS),
  },
  {
    ...recipe,
    name: 'sentiment-ro',
    task: 'emotion',
    language: 'ro',
    link: 'softmax',
    labels: SENTIMENTS,
    targets: (row) => {
      const said = sentimentOfEmotions(row);
      return said === undefined ? undefined : SENTIMENTS.map((label) => (label === said ? 1 : 0));
    },
  },
  { ...emotion, name: 'emotion-en', language: 'en' },
  { ...emotion, name: 'emotion-ro', language: 'ro', isMixedOverFolds: true },
  {
    ...recipe,
    name: 'offence-en',
    task: 'toxicity',
    language: 'en',
    link: 'softmax',
    labels: offenceEn,
    targets: oneOf(offenceEn),
    ...machines,
  },
  {
    ...recipe,
    name: 'offence-ro',
    task: 'toxicity',
    language: 'ro',
    link: 'softmax',
    labels: offenceRo,
    targets: oneOf(offenceRo),
    ...machines,
  },
  {
    ...headlines,
    name: 'clickbait-en',
    edition: 2,
    language: 'en',
    labels: headlineKinds,
    targets: headlineTargets(headlineKinds),
    written: { file: 'headlines.jsonl', times: 4 },
    epochs: 10,
    l2: 3e-4,
    vectors: { epochs: 12, rate: 0.04, decay: 1e-4 },
  },
  {
    ...headlines,
    name: 'clickbait-ro',
    language: 'ro',
    labels: ownHeadlineKinds,
    targets: headlineTargets(ownHeadlineKinds),
    written: { file: 'headlines.jsonl', times: 1 },
  },
  {
    ...recipe,
    name: 'fallacy-climate',
    task: 'fallacy_climate',
    language: 'en',
    link: 'softmax',
    labels: climate,
    targets: oneOf(climate),
    epochs: 10,
  },
  {
    ...recipe,
    name: 'fallacy-comments',
    task: 'fallacy_comments',
    language: 'en',
    link: 'softmax',
    labels: comments,
    targets: oneOf(comments),
  },
  {
    ...recipe,
    name: 'perspective-en',
    task: 'stance',
    language: 'en',
    link: 'softmax',
    labels: stances,
    targets: oneOf(stances),
    fields: { text: 'evidence', other: 'claim' },
    epochs: 4,
  },
];

/** The text of a row for a plan. */
export function planText(plan: TextPlan, row: RawRow): string | undefined {
  return textOf(row, plan.fields?.text ?? 'text');
}

/** What decides whether a row is held back: of pairs the side that many rows share. */
export function planGroup(plan: TextPlan, row: RawRow): string {
  return textOf(row, plan.fields?.other ?? 'text') ?? '';
}

/** Whether a row is read for a plan. */
export function isRowOf(plan: TextPlan, row: RawRow): boolean {
  return (
    languageOf(row) === plan.language && planText(plan, row) !== undefined && plan.targets(row) !== undefined
  );
}
