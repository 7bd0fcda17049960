/** Sentences about debunked claims, and calm ones near to them, each with the claim that it is compared with. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../src/foundation/files.ts';
import {
  LEAST_WORDINGS,
  likenessFeatures,
  type VectoredStatement,
} from '../../src/services/analysis/engines/stance/claim-likeness.ts';
import { readStarterRows } from '../../src/services/web/evidence-index/starter.ts';
import { dotProduct } from '../../src/text/dot-product.ts';
import { createEncoder, shareEncoder } from '../../src/text/encoder/encoder.ts';
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { sentencesOf } from '../../src/text/sentences.ts';
import { parseClaim, relationsInClaims } from '../../src/text/statement/claim.ts';
import { readRelations } from '../../src/text/statement/relations.ts';
import type { Language } from '../encoder/evaluation.ts';
import { readEncoderParts } from '../encoder/parts.ts';
import { TEACHING_HANDS } from '../reading/rows.ts';

/** What a sentence does with its claim; `calm`: it stands in a calm text and was not written about any claim. */
export type SentenceKind = 'says' | 'denies' | 'asks' | 'other' | 'calm';

/** A sentence beside a claim. */
export interface LikenessRow {
  readonly text: string;
  readonly lang: Language;
  readonly kind: SentenceKind;
  /** Who wrote it. */
  readonly hand: 'said' | 'spoken' | 'calm';
  /** The claim that it was written about; empty for `calm`. */
  readonly about: string;
  /** The claim that it is compared with. */
  readonly claim: string;
  /** Whether it was written about the claim: says, denies or asks it, or states something else on the same matter. */
  readonly isAbout: boolean;
  /** Whether no other claim is nearer. */
  readonly isNearest: boolean;
  readonly features: readonly number[];
}

interface Sentence {
  readonly text: string;
  readonly lang: Language;
  readonly kind: SentenceKind;
  readonly hand: LikenessRow['hand'];
  readonly about: string;
}

/** Of the calm sentences one in so many is read. */
const CALM_SHARE = 6;
/** A calm sentence that is farther from every wording teaches nothing. */
const LEAST_COSINE = 0.5;
/** A second claim is compared where it is this near. */
const LEAST_SECOND = 0.45;

const parts = readEncoderParts();
const encoder = createEncoder(shareEncoder(parts, 1), 0);
const relations = relationsInClaims(
  readRelations(readFileSync(packageFile('models', 'relations-en.tsv'), 'utf8')),
);

const AT_ONCE = 256;
function vectorsOf(texts: readonly string[], language: Language): Float32Array[] {
  return Array.from({ length: Math.ceil(texts.length / AT_ONCE) }, (_, at) =>
    encoder
      .encode(texts.slice(at * AT_ONCE, (at + 1) * AT_ONCE), language)
      .map(({ vector }) => vector ?? new Float32Array(DIMENSIONS)),
  ).flat();
}

const encoded = (text: string, language: Language, vector: Float32Array): VectoredStatement => ({
  statement: parseClaim(text, language, parts.gloss),
  vector,
});

/** All wordings of each claim of the starter set in a language. */
function wordingsOf(language: Language): Map<string, VectoredStatement[]> {
  return new Map(
    readStarterRows().map(({ id, claim, wordings }) => {
      const texts = [claim[language], ...wordings[language]];
      const vectors = vectorsOf(texts, language);
      return [
        id,
        texts.map((text, at) => encoded(text, language, vectors[at] ?? new Float32Array(DIMENSIONS))),
      ];
    }),
  );
}

function writtenSentences(): Sentence[] {
  return (['said', 'spoken'] as const).flatMap((hand) =>
    readFileSync(packageFile('training', 'data', 'known-claims', `${hand}.tsv`), 'utf8')
      .trim()
      .split('\n')
      .map((line): Sentence => {
        const [about = '', lang, kind, text = ''] = line.split('\t');
        return { text, lang: lang === 'ro' ? 'ro' : 'en', kind: kind as SentenceKind, hand, about };
      }),
  );
}

interface WholeText {
  readonly text: string;
  readonly lang: Language;
  readonly loud?: boolean;
  readonly expected?: { readonly accept: readonly string[] };
}

/** Sentences of the calm texts of the hands that teach. */
function calmSentences(): Sentence[] {
  const folder = packageFile('training', 'data', 'hands');
  const texts = readdirSync(folder)
    .filter((hand) => TEACHING_HANDS.has(hand))
    .flatMap((hand) => ['calm.jsonl', 'whole.jsonl'].map((name) => join(folder, hand, name)))
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as WholeText)
    .filter(({ loud, expected }) => loud !== true && (expected?.accept.includes('low') ?? true));
  const sentences = texts.flatMap(({ text, lang }) =>
    sentencesOf(text).map(
      (one): Sentence => ({
        text: one.text.replace(/\s+/g, ' ').trim(),
        lang,
        kind: 'calm',
        hand: 'calm',
        about: '',
      }),
    ),
  );
  const unique = [...new Map(sentences.map((one) => [one.text, one])).values()];
  return unique.filter((_, at) => at % CALM_SHARE === 0);
}

/** The claims nearest to a vector, the nearest first. */
function nearestClaims(vector: Float32Array, claims: ReadonlyMap<string, readonly VectoredStatement[]>) {
  return [...claims]
    .map(([id, wordings]) => ({
      id,
      wordings,
      cosine: Math.max(...wordings.map((wording) => dotProduct(vector, wording.vector))),
    }))
    .toSorted((one, two) => two.cosine - one.cosine);
}

/** Rows of both languages: each sentence beside the claim nearest to it, and beside the one that it is about or that comes second. */
export function likenessRows(log: (line: string) => void): LikenessRow[] {
  return (['en', 'ro'] as const).flatMap((lang) => {
    const claims = wordingsOf(lang);
    const sentences = [...writtenSentences(), ...calmSentences()].filter((one) => one.lang === lang);
    const vectors = vectorsOf(
      sentences.map(({ text }) => text),
      lang,
    );
    log(`${lang}: ${claims.size} claims, ${sentences.length} sentences encoded`);
    return sentences.flatMap((sentence, at): LikenessRow[] => {
      const vector = vectors[at] ?? new Float32Array(DIMENSIONS);
      const [first, second, ...rest] = nearestClaims(vector, claims);
      if (first === undefined || second === undefined) return [];
      if (sentence.kind === 'calm' && first.cosine < LEAST_COSINE) return [];
      const told = rest.find(({ id }) => id === sentence.about);
      const compared = [first, ...(second.cosine >= LEAST_SECOND ? [second] : []), ...(told ? [told] : [])];
      const said = encoded(sentence.text, lang, vector);
      return compared
        .filter(({ wordings }) => wordings.length >= LEAST_WORDINGS)
        .map(({ id, wordings }) => ({
          ...sentence,
          claim: id,
          isAbout: sentence.about === id,
          isNearest: id === first.id,
          features: likenessFeatures(said, wordings, relations),
        }));
    });
  });
}
