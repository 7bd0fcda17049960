import { FeatureHasher, type Features } from '../../../../text/features.ts';
import { type LinearModel, probabilities } from '../../../../text/linear.ts';
import { wordsOf } from '../../../../text/words.ts';
import type { ClaimText } from './cues.ts';

/** Trained by training/checkworthy.ts: `words` reads English wording, `cues` only what both languages share. */
export interface CheckworthinessModels {
  words: LinearModel;
  cues: LinearModel;
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

/** Scores sentences; English by its words, any other language by the cues alone. */
export class CheckworthinessScorer {
  private readonly models: CheckworthinessModels;
  private readonly words: FeatureHasher;
  private readonly cues: FeatureHasher;

  constructor(models: CheckworthinessModels) {
    this.models = models;
    this.words = new FeatureHasher(models.words.header.bits);
    this.cues = new FeatureHasher(models.cues.header.bits);
  }

  score(text: ClaimText, language: string): Checkworthiness {
    const shares =
      language === 'en'
        ? probabilities(this.models.words, wordFeatures(this.words, text))
        : probabilities(this.models.cues, cueFeatures(this.cues, text));
    return { checkworthy: shares[0] ?? 0, factual: shares[1] ?? 0 };
  }

  /** The share from which a sentence counts as check-worthy, measured at training. */
  threshold(language: string): number {
    const { header } = language === 'en' ? this.models.words : this.models.cues;
    return header.thresholds.checkworthy ?? 0.5;
  }
}
