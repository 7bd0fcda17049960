import { z } from 'zod';
import type { Gloss } from '../encoder/gloss.ts';
import { type EncoderFile, readList, readModelFile } from '../encoder/model-file.ts';
import { logit, sigmoid } from '../logistic.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { bestTags, chainSums, runChance, type TagChainScores } from './chain.ts';
import { wordBuckets } from './features.ts';
import { type EntityToken, tokenSentences } from './tokens.ts';
import { type ClassOf, glossedClasses } from './word-classes.ts';

/** Tags of the words, in the order of the weights. */
export const ENTITY_TAGS = [
  'O',
  'B-PER',
  'I-PER',
  'B-ORG',
  'I-ORG',
  'B-LOC',
  'I-LOC',
  'B-MISC',
  'I-MISC',
] as const;
const KINDS = { PER: 'person', ORG: 'organisation', LOC: 'place', MISC: 'other' } as const;
/** What an entity is: people, organisations, places (countries and buildings too), and products, works, events, peoples, languages. */
export type EntityKind = (typeof KINDS)[keyof typeof KINDS];

/** A run of words that names something. */
export interface TaggedRun {
  /** First word, and the one behind the last. */
  readonly from: number;
  readonly to: number;
  readonly kind: EntityKind;
  /** Calibrated probability, 0 to 1, that these words, no more and no fewer, are an entity of this kind. */
  readonly confidence: number;
}

/** An entity of a text with its UTF-16 offsets. */
export interface Entity {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly kind: EntityKind;
  readonly confidence: number;
  /** Has a capital or a digit. Romanian rows mark nouns for people too ("turiștii"), which are no names. */
  readonly named: boolean;
}

const headerSchema = z.object({
  bits: z.int().min(1).max(22),
  language: z.enum(['en', 'ro']),
  /** The corpus whose manner of annotation the names follow. */
  corpus: z.string(),
  scales: z.array(z.number()).length(ENTITY_TAGS.length),
  calibration: z.object({ slope: z.number(), intercept: z.number() }),
});

/** What stands in the header of an entity model. */
export type EntityHeader = z.infer<typeof headerSchema>;

/** Finds entities in one language. */
export interface EntityModel {
  readonly name: string;
  readonly version: string;
  readonly language: 'en' | 'ro';
  /** Entities of words that are cut already. */
  tag(words: readonly string[]): TaggedRun[];
  /** Entities of a text in reading order. */
  find(text: string): Entity[];
}

/** Chain scores of words. */
export type ScoreWords = (words: readonly string[]) => TagChainScores;

/** Whether a tag does not carry a run of the tag before it on. */
const endsRun = (tag: number) => tag === 0 || tag % 2 === 1;

/** Runs of the likeliest tags, each with its chance. */
export function runsOf(
  scores: TagChainScores,
): { from: number; to: number; kind: EntityKind; chance: number }[] {
  const tags = bestTags(scores);
  const sums = chainSums(scores);
  const runs: { from: number; to: number; kind: EntityKind; chance: number }[] = [];
  for (let from = 0; from < tags.length; ) {
    const tag = tags[from] as number;
    let to = from + 1;
    if (tag === 0) {
      from = to;
      continue;
    }
    // The tag inside a kind stands behind the one that begins it.
    const inside = tag % 2 === 1 ? tag + 1 : tag;
    while (to < tags.length && tags[to] === inside) to++;
    const name = (ENTITY_TAGS[tag] ?? 'B-MISC').slice(2) as keyof typeof KINDS;
    const chance = runChance(
      scores,
      sums,
      from,
      tags.subarray(from, to),
      (next) => endsRun(next) || next !== inside,
    );
    runs.push({ from, to, kind: KINDS[name], chance });
    from = to;
  }
  return runs;
}

/** Log-odds of a probability, which is clamped so that they are finite. */
export function logOdds(chance: number): number {
  return logit(Math.min(1 - 1e-6, Math.max(1e-6, chance)));
}

/** What an entity model needs beside its own file. */
export interface EntityResources {
  readonly vocabulary: Vocabulary;
  /** Romanian words with their English ones; a model without classes of words needs none. */
  readonly gloss?: Gloss | undefined;
}

function classesIn(file: EncoderFile<EntityHeader>, gloss: Gloss | undefined): ClassOf | undefined {
  if (file.places.classHashes === undefined) return undefined;
  if (gloss === undefined) throw new Error(`The model ${file.header.name} needs the gloss.`);
  const [hashes, classes] = ['classHashes', 'classes'].map((name) => new Uint32Array(readList(file, name)));
  return glossedClasses({ hashes: hashes as Uint32Array, classes: classes as Uint32Array }, gloss);
}

/** Loads an entity model with the packaged vocabulary and gloss. */
export function loadEntityModel(bytes: Uint8Array, { vocabulary, gloss }: EntityResources): EntityModel {
  const file = readModelFile(bytes, headerSchema);
  const { name, version, bits, language, corpus, scales, calibration } = file.header;
  const count = ENTITY_TAGS.length;
  const weights = new Int8Array(readList(file, 'words'));
  const steps = Float64Array.from(new Float32Array(readList(file, 'steps')));
  const first = Float64Array.from(new Float32Array(readList(file, 'first')));
  if (weights.length !== count * 2 ** bits || steps.length !== count * count || first.length !== count)
    throw new Error(`The model ${name} is damaged: its parts differ in size.`);
  const classOf = classesIn(file, gloss);
  const scoresOf: ScoreWords = (words) => {
    const scores = new Float64Array(words.length * count);
    wordBuckets(words, { vocabulary, bits, corpus, classOf }).forEach((buckets, word) => {
      for (const bucket of buckets)
        for (let tag = 0; tag < count; tag++)
          scores[word * count + tag] =
            (scores[word * count + tag] as number) +
            (weights[bucket * count + tag] as number) * (scales[tag] as number);
    });
    return { length: words.length, tags: count, words: scores, steps, first };
  };
  const tag = (words: readonly string[]): TaggedRun[] =>
    runsOf(scoresOf(words)).map(({ chance, ...run }) => ({
      ...run,
      confidence: sigmoid(calibration.slope * logOdds(chance) + calibration.intercept),
    }));
  return {
    name,
    version,
    language,
    tag,
    find: (text) => tokenSentences(text, language).flatMap((tokens) => entitiesOf(text, tokens, tag)),
  };
}

function entitiesOf(text: string, tokens: readonly EntityToken[], tag: EntityModel['tag']): Entity[] {
  return tag(tokens.map((token) => token.text)).map(({ from, to, kind, confidence }) => {
    const [start, end] = [tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0];
    const quote = text.slice(start, end);
    return { start, end, text: quote, kind, confidence, named: /[\p{Lu}\p{N}]/u.test(quote) };
  });
}
