import { hashText } from './features.ts';
import { sortedIndexOf } from './sorted-index.ts';

/** Which words exist and how rare they are, in English and Romanian. */
export interface Vocabulary {
  /**
   * Surprise of a word in nats, -ln of its share of all words; undefined for one that is not known. Words are folded:
   * lower case, no diacritics. One unknown word in 50,000 passes for a known one.
   */
  surprise(word: string): number | undefined;
  readonly words: number;
}

/** The bytes LVO1: Limpede vocabulary, form 1. */
const MAGIC = 0x314f564c;
const PREFIX_BYTES = 8;
/** A surprise is stored in steps of so many nats. */
const STEP = 1 / 12;

/** Reads a vocabulary file: magic number, number of words, their hashes in ascending order, their surprise in steps. */
export function loadVocabulary(bytes: Uint8Array): Vocabulary {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = bytes.byteLength < PREFIX_BYTES ? 0 : view.getUint32(4, true);
  if (words === 0 || view.getUint32(0, true) !== MAGIC || bytes.byteLength !== PREFIX_BYTES + words * 5)
    throw new Error('This is not a vocabulary file.');
  const body = new Uint8Array(bytes.subarray(PREFIX_BYTES)).buffer;
  const hashes = new Uint32Array(body, 0, words);
  const steps = new Uint8Array(body, words * 4, words);
  return {
    words,
    surprise(word) {
      const place = sortedIndexOf(hashes, hashText(word) >>> 0);
      return place < 0 ? undefined : (steps[place] ?? 0) * STEP;
    },
  };
}

/** Writes a vocabulary file from the share of each word among all words. */
export function saveVocabulary(shares: ReadonlyMap<string, number>): Uint8Array {
  const rows = new Map([...shares].map(([word, share]) => [hashText(word) >>> 0, share]));
  const sorted = [...rows].sort(([one], [other]) => one - other);
  const bytes = new Uint8Array(PREFIX_BYTES + sorted.length * 5);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, sorted.length, true);
  for (const [index, [hash, share]] of sorted.entries()) {
    view.setUint32(PREFIX_BYTES + index * 4, hash, true);
    bytes[PREFIX_BYTES + sorted.length * 4 + index] = Math.min(255, Math.round(-Math.log(share) / STEP));
  }
  return bytes;
}
