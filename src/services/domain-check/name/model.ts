import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { FeatureHasher, type Features } from '../../../text/features.ts';
import { type LinearModel, loadLinear, margins } from '../../../text/linear.ts';
import { loadVocabulary, type Vocabulary } from '../../../text/vocabulary.ts';
import type { Site } from '../site.ts';
import { wordsOfLabel } from './words.ts';

/** 2^17 buckets for letters: the fewest at which measured error stopped falling; as many for words. */
const BLOCK_BITS = 17;
/** Bits of both blocks together. */
export const NAME_MODEL_BITS = BLOCK_BITS + 1;
/** Runs of up to six letters; seven and more lowered the measured AUC. */
const LONGEST_RUN = 6;
const MOST_WORDS = 5;

/** Call signs of American stations and names of their channels: a licence stands behind them. */
const STATIONS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['call_sign', /^[wk][a-z]{2,3}(?:tv|fm|am|radio|news)?\d{0,2}$/],
  ['channel', /^(?:abc|cbs|nbc|fox|cw|news|channel|local)\d/],
  ['numbered', /\d(?:news|tv|now)/],
];

/** What is read of a name, as two blocks of features that are weighed apart. */
export interface NameBlocks {
  /** Letter runs of the label between its borders, suffix, and coarse counts of hyphens, digits and letters. */
  readonly letters: Features;
  /** Words that the label was made of, alone and in pairs, first and last, and the same suffix and counts. */
  readonly words: Features;
}

/** Collects the features of names; one instance serves one thread. */
export class NameFeatures {
  private readonly hasher = new FeatureHasher(BLOCK_BITS);
  private readonly vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary;
  }

  /** Both blocks of a name; indices of each lie below half of the buckets. */
  blocks(site: Site): NameBlocks {
    this.hasher.countCharacters(`^${site.label}$`, 1, LONGEST_RUN);
    const letters = this.finish(site);
    const words = wordsOfLabel(this.vocabulary, site.label);
    for (const [place, word] of words.entries()) {
      this.hasher.countName(`word:${word}`);
      if (place > 0) this.hasher.countName(`pair:${words[place - 1]} ${word}`);
    }
    this.hasher.countName(`first:${words[0]}`);
    this.hasher.countName(`last:${words.at(-1)}`);
    this.hasher.countName(`words:${Math.min(MOST_WORDS, words.length)}`);
    return { letters, words: this.finish(site) };
  }

  /** Both blocks in one vector: letters in the lower half of the buckets, words in the upper. */
  read(site: Site): Features {
    const { letters, words } = this.blocks(site);
    const half = 2 ** BLOCK_BITS;
    return {
      indices: Uint32Array.of(...letters.indices, ...words.indices.map((index) => index + half)),
      values: Float32Array.of(...letters.values, ...words.values),
    };
  }

  private finish({ label, suffix, subdomain }: Site): Features {
    const { hasher } = this;
    hasher.countName(`suffix:${suffix}`);
    hasher.countName(`top:${suffix.slice(suffix.lastIndexOf('.') + 1)}`);
    hasher.countName(`hyphens:${Math.min(3, label.match(/-/g)?.length ?? 0)}`);
    hasher.countName(`digits:${Math.min(3, label.match(/\d/g)?.length ?? 0)}`);
    hasher.countName(`length:${Math.min(8, label.length >> 2)}`);
    if (subdomain !== '') hasher.countName('subdomain');
    for (const [kind, pattern] of STATIONS) if (pattern.test(label)) hasher.countName(`station:${kind}`);
    return hasher.finish();
  }
}

/** The vocabulary that ships with the product. */
export function loadNameVocabulary(): Vocabulary {
  return loadVocabulary(readFileSync(packageFile('models', 'vocabulary.bin')));
}

/** Judges names by their letters. */
export interface NameModel {
  version: string;
  /** Natural logarithm of the odds that raters call a site with such a name reliable, at even prior odds. */
  logOdds(site: Site): number;
}

/** Loads the weights that ship with the product; the model card is models/domain-name.md. */
export function loadNameModel(): NameModel {
  return createNameModel(
    loadLinear(readFileSync(packageFile('models', 'domain-name.bin'))),
    loadNameVocabulary(),
  );
}

/** A name model over given weights. */
export function createNameModel(model: LinearModel, vocabulary: Vocabulary): NameModel {
  const features = new NameFeatures(vocabulary);
  const { calibration } = model.header;
  if (calibration.link !== 'logistic') throw new Error('The name model must be logistic.');
  const [slope = 1] = calibration.slope;
  const [intercept = 0] = calibration.intercept;
  return {
    version: model.header.version,
    logOdds: (site) => slope * (margins(model, features.read(site))[0] ?? 0) + intercept,
  };
}
