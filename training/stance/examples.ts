import { readFileSync } from 'node:fs';
import { packageFile } from '../../src/foundation/files.ts';
import { comparedWords } from '../../src/services/analysis/engines/stance/alignment.ts';
import type { EncodedStatement } from '../../src/services/analysis/engines/stance/features.ts';
import type { MeaningTables } from '../../src/services/analysis/engines/stance/meanings.ts';
import { createEncoder, shareEncoder } from '../../src/text/encoder/encoder.ts';
import { hashText } from '../../src/text/features.ts';
import { sentencesOf } from '../../src/text/sentences.ts';
import { readHierarchy } from '../../src/text/statement/hierarchy.ts';
import { readRelations } from '../../src/text/statement/relations.ts';
import { parseStatement } from '../../src/text/statement/statement.ts';
import { loadVocabulary } from '../../src/text/vocabulary.ts';
import { readEncoderParts } from '../encoder/parts.ts';
import { cleanedPassage } from '../passages.ts';
import { randomStream, readRows } from '../rows.ts';

interface Row {
  readonly claim: string;
  readonly evidence: string;
  readonly label: 'SUPPORTS' | 'REFUTES';
  readonly source: string;
}

/** A claim with the sentences of a passage. */
export interface Pair {
  readonly claim: string;
  readonly sentences: readonly string[];
  /** 0 supports, 1 refutes, 2 neither. */
  readonly stance: number;
  /** What the claim's own evidence does to it: 0 supports, 1 refutes. */
  readonly claimStance: number;
  /** Pairs that share a claim or a sentence have one group. */
  readonly group: string;
  readonly source: string;
}

/** The pairs that the models of stances learn from, and what reads their texts. */
export interface Pairs {
  readonly pairs: readonly Pair[];
  /** Every fourth claim with the evidence of any other: neither, and far easier to tell; learned from, and measured by themselves. */
  readonly distant: readonly Pair[];
  /** Sources of the rows, in their order. */
  readonly sources: readonly string[];
  readonly tables: MeaningTables;
  read(text: string): EncodedStatement;
}

/** Folds of the cross-validation. */
export const FOLDS = 5;
/** Sentences of the evidence that are read, and rows in which a word may stand that leads from a claim to other evidence. */
const [MOST_SENTENCES, MOST_ROWS] = [12, 400];
const BATCH = 64;

type Read = Row & { readonly sentences: readonly string[] };

/** The fold in which a pair is scored. */
export const foldOf = ({ group }: Pick<Pair, 'group'>) => (hashText(group, 5) >>> 8) % FOLDS;

function readPairs(folder: string): Read[] {
  return readRows<Row>(folder, 'claim_evidence').map((row) => {
    const evidence = cleanedPassage(row.evidence);
    const sentences = sentencesOf(evidence).map(({ start, end }) => evidence.slice(start, end));
    return { ...row, claim: cleanedPassage(row.claim), sentences: sentences.slice(0, MOST_SENTENCES) };
  });
}

function encodeAll(rows: readonly Read[]): (text: string) => EncodedStatement {
  const parts = readEncoderParts();
  const texts = [...new Set(rows.flatMap(({ claim, sentences }) => [claim, ...sentences]))].sort(
    (one, other) => one.length - other.length,
  );
  const encoded = new Map<string, EncodedStatement>();
  const encoder = createEncoder(shareEncoder(parts, 1), 0);
  for (let start = 0; start < texts.length; start += BATCH) {
    const batch = texts.slice(start, start + BATCH);
    for (const [index, { vector }] of encoder.encode(batch, 'en').entries()) {
      const text = batch[index] ?? '';
      encoded.set(text, {
        statement: parseStatement(text, 'en', parts.gloss),
        words: comparedWords(text, 'en', parts.gloss),
        vector: vector ?? new Float32Array(512),
      });
    }
  }
  return (text) => {
    const found = encoded.get(text);
    if (found === undefined) throw new Error(`not encoded: ${text}`);
    return found;
  };
}

/** Rows that share a claim or a sentence are one group, so that no text stands on both sides of a split. */
function groups(rows: readonly Read[]): (text: string) => string {
  const parent = new Map<string, string>();
  const root = (text: string): string => {
    let at = text;
    for (let up = parent.get(at); up !== undefined && up !== at; up = parent.get(at)) at = up;
    return at;
  };
  for (const { claim, sentences } of rows) {
    for (const sentence of sentences) {
      const [one, other] = [root(claim), root(sentence)];
      if (one !== other) parent.set(other, one);
    }
  }
  return root;
}

/** Evidence of another group that shares most words with a claim: about something like it, and decides nothing. */
function unrelated(
  rows: readonly Read[],
  read: (text: string) => EncodedStatement,
  groupOf: (text: string) => string,
): (claim: string, rank: number) => Read | undefined {
  const byStem = new Map<string, number[]>();
  for (const [index, { sentences }] of rows.entries()) {
    const stems = sentences
      .slice(0, 3)
      .flatMap((text) => read(text).statement.words.flatMap((word) => word.stems));
    for (const stem of new Set(stems)) {
      const list = byStem.get(stem) ?? [];
      if (list.length < MOST_ROWS) list.push(index);
      byStem.set(stem, list);
    }
  }
  return (claim, rank) => {
    const scores = new Map<number, number>();
    for (const stem of read(claim).statement.words.flatMap((word) => word.stems)) {
      const list = byStem.get(stem) ?? [];
      for (const index of list) scores.set(index, (scores.get(index) ?? 0) + 1 / Math.log(2 + list.length));
    }
    const others = [...scores].filter(([index]) => groupOf(rows[index]?.claim ?? '') !== groupOf(claim));
    const found = others.sort(([, one], [, other]) => other - one)[rank]?.[0];
    return found === undefined ? undefined : rows[found];
  };
}

const [DISTANT_EACH, DISTANT_SEED] = [4, 11];

function distantPairs(rows: readonly Read[], groupOf: (text: string) => string): Pair[] {
  const next = randomStream(DISTANT_SEED);
  return rows.flatMap(({ claim, label, source }, index): Pair[] => {
    const other = rows[Math.floor(next() * rows.length)];
    if (index % DISTANT_EACH !== 1 || other === undefined || groupOf(other.claim) === groupOf(claim))
      return [];
    const claimStance = label === 'SUPPORTS' ? 0 : 1;
    return [{ claim, claimStance, group: groupOf(claim), source, sentences: other.sentences, stance: 2 }];
  });
}

/** Reads the rows of claims with evidence, and adds pairs of neither: every second claim with the evidence of another. */
export function stancePairs(folder: string): Pairs {
  const rows = readPairs(folder);
  const read = encodeAll(rows);
  const groupOf = groups(rows);
  const findUnrelated = unrelated(rows, read, groupOf);
  const pairs = rows.flatMap(({ claim, sentences, label, source }, index): Pair[] => {
    const claimStance = label === 'SUPPORTS' ? 0 : 1;
    const made = { claim, claimStance, group: groupOf(claim), source };
    const own = { ...made, sentences, stance: claimStance };
    const other = index % 2 === 0 ? findUnrelated(claim, index % 4 === 0 ? 0 : 1) : undefined;
    return other === undefined ? [own] : [own, { ...made, sentences: other.sentences, stance: 2 }];
  });
  const file = (name: string) => readFileSync(packageFile('models', name));
  const tables = {
    relations: readRelations(file('relations-en.tsv').toString('utf8')),
    hierarchy: readHierarchy(file('hierarchy-en.tsv').toString('utf8')),
    vocabulary: loadVocabulary(file('vocabulary.bin')),
  };
  const sources = [...new Set(rows.map(({ source }) => source))];
  return { pairs, distant: distantPairs(rows, groupOf), sources, tables, read };
}
