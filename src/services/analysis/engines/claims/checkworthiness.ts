import { FeatureHasher, type Features } from '../../../../text/features.ts';
import { type LinearModel, margins, probabilities } from '../../../../text/linear.ts';
import { wordsOf } from '../../../../text/words.ts';
import type { ClaimText } from './cues.ts';
import { combinedProbability, type VectorHead } from './vector-head.ts';

/** Trained by training/checkworthy.ts: `words` reads English wording, `cues` only what both languages share, `head` the vectors. */
export interface CheckworthinessModels {
  words: LinearModel;
  cues: LinearModel;
  /** Without it vectors are not read. */
  head?: VectorHead;
}

/** Probabilities, 0 to 1: that a sentence is worth checking, and that it states a fact at all. */
export interface Checkworthiness {
  checkworthy: number;
  factual: number;
}

/** Labels of both models, in order. */
export const CHECKWORTHY_LABELS = ['checkworthy', 'factual'];
/** Hash bits of the two models. */
export const CHECKWORTHY_BITS = { words: 17, cues: 12 } as const;
/** How much a cue weighs beside the unit-length word features; chosen on the held-out debates. */
const CUE_WEIGHT = 0.2;

/** Features of the English model: words 1 to 3, characters 3 to 5 inside the sentence, and the cues. */
export function wordFeatures(hasher: FeatureHasher, text: ClaimText): Features {
  const plain = text.plain.replace(/\d+(?:[.,]\d+)*/g, (number) => (number.length === 4 ? '0000' : '0'));
  hasher.countWords(
    wordsOf(plain).map((word) => word.text),
    1,
    3,
  );
  hasher.countCharacters(` ${plain} `, 3, 5);
  for (const [name, value] of text.cues) hasher.setExact(name, value * CUE_WEIGHT);
  return hasher.finish();
}

/** Features of the model for other languages: the cues and their pairs. */
export function cueFeatures(hasher: FeatureHasher, text: ClaimText): Features {
  const cues = [...text.cues];
  cues.forEach(([name, value], index) => {
    hasher.setExact(name, value);
    for (const [other, factor] of cues.slice(index + 1)) hasher.setExact(`${name}+${other}`, value * factor);
  });
  return hasher.finish();
}

/** Scores sentences: English by its words, any other language by the cues, and both by their vector where there is one. */
export class CheckworthinessScorer {
  private readonly models: CheckworthinessModels;
  private readonly words: FeatureHasher;
  private readonly cues: FeatureHasher;

  constructor(models: CheckworthinessModels) {
    this.models = models;
    this.words = new FeatureHasher(models.words.header.bits);
    this.cues = new FeatureHasher(models.cues.header.bits);
  }

  /** `vector` is that of the sentence: the wording alone answers without it, and in languages that the encoder does not read. */
  score(text: ClaimText, language: string, vector?: Float32Array): Checkworthiness {
    const isEnglish = language === 'en';
    const [model, features] = isEnglish
      ? [this.models.words, wordFeatures(this.words, text)]
      : [this.models.cues, cueFeatures(this.cues, text)];
    const { head } = this.models;
    if (head === undefined || vector === undefined || !isRead(language)) {
      const [checkworthy = 0, factual = 0] = probabilities(model, features);
      return { checkworthy, factual };
    }
    const [first = 0, second = 0] = margins(model, features);
    const way = isEnglish ? 'words' : 'cues';
    return {
      checkworthy: combinedProbability(head, way, 0, first, vector),
      factual: combinedProbability(head, way, 1, second, vector),
    };
  }

  /** The share from which a sentence counts as check-worthy, measured at training. */
  threshold(language: string, hasVector = false): number {
    const isEnglish = language === 'en';
    const { head } = this.models;
    if (head !== undefined && hasVector && isRead(language))
      return head[isEnglish ? 'words' : 'cues'].threshold;
    const { header } = isEnglish ? this.models.words : this.models.cues;
    return header.thresholds.checkworthy ?? 0.5;
  }
}

/** Languages whose vectors mean the same. */
function isRead(language: string): boolean {
  return language === 'en' || language === 'ro';
}
