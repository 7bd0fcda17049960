/** The classifier that names the techniques of a sentence as readers do. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import meta from '../../data/taxonomy/technique-meta.json' with { type: 'json' };
import { NO_TECHNIQUE } from '../../src/services/analysis/engines/techniques/sentence-readings.ts';
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { hashText } from '../../src/text/features.ts';
import { loadTextClassifier, type TextClassifier } from '../../src/text/text-classifier.ts';
import { sentenceVectors, vectorIn } from '../diffuse/vectors.ts';
import { shuffled } from '../rows.ts';
import { classifierBytes } from '../texts/file.ts';
import { fitWhole } from '../texts/fit-text.ts';
import { exampleOf, hasherOf, type TextExample } from '../texts/fitting.ts';
import type { TextPlan } from '../texts/plans.ts';
import type { ReadText } from './read-texts.ts';

const plan: TextPlan = {
  name: 'technique-sentences',
  task: 'technique_sentences',
  language: 'en',
  link: 'softmax',
  labels: [NO_TECHNIQUE, ...meta.core_codes],
  targets: () => undefined,
  bits: 16,
  epochs: 6,
  rate: 0.15,
  l2: 1e-3,
};

/** How much of each label a sentence has: the clearest technique twice as much as each further one. */
function targetsOf(codes: readonly string[]): number[] {
  const named = codes.length === 0 ? [NO_TECHNIQUE] : codes;
  const weights = named.map((_, at) => (at === 0 ? 2 : 1));
  const all = weights.reduce((sum, one) => sum + one, 0);
  return plan.labels.map((label) => (weights[named.indexOf(label)] ?? 0) / all);
}

/** The sentences of texts as examples; those of one text are one group. */
function examplesOf(texts: readonly ReadText[], cache: string): TextExample[] {
  const hasher = hasherOf(plan);
  return (['en', 'ro'] as const).flatMap((language) => {
    const own = texts.filter((text) => text.language === language);
    const quotes = own.map(({ sentences }) => sentences.map(({ text }) => text));
    return sentenceVectors(cache, `technique-sentences-${language}`, quotes, language).flatMap((all, at) =>
      (own[at]?.sentences ?? []).map(({ text, codes }, index) => {
        const vector = all.length === 0 ? new Float32Array(DIMENSIONS) : vectorIn(all, index);
        return exampleOf(hasher, text, vector, targetsOf(codes), own[at]?.id ?? '');
      }),
    );
  });
}

function bytesOf(examples: readonly TextExample[]): Uint8Array {
  const fitted = fitWhole(plan, shuffled(examples, 9));
  return classifierBytes(plan, fitted.parts, fitted);
}

const FOLDS = 5;
const NO_FOLD = -1;
const foldOf = (id: string) => (hashText(id, 13) >>> 9) % FOLDS;

/** A fitted classifier, and for each text that taught it one that did not see the text. */
export interface FittedReader {
  readonly bytes: Uint8Array;
  unseenBy(text: Pick<ReadText, 'id'>): TextClassifier;
}

/** Fits the classifier on the sentences of texts; vectors, and what was fitted on the same texts, are kept in a folder between runs. */
export function fitSentenceReader(texts: readonly ReadText[], cache: string): FittedReader {
  let examples: readonly TextExample[] | undefined;
  // Other texts, marks or settings are fitted anew.
  const key = (hashText(JSON.stringify([plan, texts])) >>> 0).toString(36);
  const fitWithout = (fold: number) => {
    const file = join(cache, `technique-sentences-${key}-${fold}.bin`);
    if (!existsSync(file)) {
      examples ??= examplesOf(texts, cache);
      writeFileSync(file, bytesOf(examples.filter(({ group }) => foldOf(group) !== fold)));
    }
    return readFileSync(file);
  };
  const folds = Array.from({ length: FOLDS }, (_, fold) => loadTextClassifier(fitWithout(fold)));
  return { bytes: fitWithout(NO_FOLD), unseenBy: ({ id }) => folds[foldOf(id)] as TextClassifier };
}
