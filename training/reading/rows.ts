/** Whole texts and messages of many hands, of which models of whole texts are learned (training/text-reading.ts, training/reading/upper.py). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../src/foundation/files.ts';
import type { Language } from '../encoder/evaluation.ts';
import { pressingTexts } from '../judgement/pressing-rows.ts';
import { readRows, shuffled } from '../rows.ts';

/** Own registers and articles are shared among so many folds, which count as hands. */
const FOLDS = 4;

/** A text to learn from. */
export interface Row {
  readonly text: string;
  readonly lang: Language;
  /** Null: a reader may take it for either. */
  readonly loud: boolean | null;
  readonly set: string;
  readonly hand: string;
}

interface Line {
  readonly text: string;
  readonly lang: Language;
  readonly loud?: boolean;
  readonly scam?: boolean;
  readonly stance?: string;
  readonly expected?: { readonly accept: readonly string[] };
}

function loudOf({ loud, scam, stance, expected }: Line): boolean | null {
  if (expected === undefined) return loud ?? scam ?? stance === 'spreads';
  const isLow = expected.accept.includes('low');
  return isLow && expected.accept.length > 1 ? null : !isLow;
}

/** Rows of a written file. */
function linesOf(hand: string, ...names: readonly string[]): Row[] {
  const lines = readFileSync(packageFile('training', 'data', ...names), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const row = JSON.parse(line) as Line;
    return { text: row.text, lang: row.lang, loud: loudOf(row), set: names.join('/'), hand };
  });
}

const codeSum = (text: string) => [...text].reduce((sum, one) => sum + (one.codePointAt(0) ?? 0), 0);

/** Own texts, and articles and pages of others. */
function ownRows(folder: string): Row[] {
  return pressingTexts(folder).map(({ text, lang, loud, set, register }, at): Row => {
    const fold = codeSum(register === '' ? `${set} ${at}` : register) % FOLDS;
    return { text, lang, loud, set, hand: `own ${fold}` };
  });
}

/** Political reporting is what is taken for pressing most often: more of it, but for the 70 articles and 80 pages that the card scores. */
const SCORED = { mainstream: [160, 230], pages: [100, 180] } as const;
const MOST_CHARACTERS = 4000;

function moreRows(folder: string): Row[] {
  const reporting = shuffled(
    readRows<{ text: string; label: string }>(folder, 'hyperpartisan').filter(
      ({ label }) => label !== 'hyperpartisan',
    ),
    7,
  ).slice(SCORED.mainstream[1]);
  const pages = shuffled(
    readFileSync(join(folder, 'extraction', 'wcxb-dev', 'index.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { gold?: { text?: string } }).gold?.text ?? '')
      .filter((text) => text.length > 600),
    7,
  ).slice(SCORED.pages[1], SCORED.pages[1] + 100);
  return [...reporting.map(({ text }) => text), ...pages].map(
    (text, at): Row => ({
      text: text.slice(0, MOST_CHARACTERS),
      lang: 'en',
      loud: false,
      set: 'more articles and pages',
      hand: `own ${at % FOLDS}`,
    }),
  );
}

/** Sentences of news, encyclopedias and travel guides, as sets of others hold them in order, put together as passages. */
const PASSAGE_SENTENCES = 8;
const MOST_PASSAGES = 150;
/** One passage in so many teaches nothing. */
const KEPT_APART = 5;
const passagesOf = (sentences: readonly string[]) =>
  Array.from({ length: Math.floor(sentences.length / PASSAGE_SENTENCES) }, (_, at) =>
    sentences.slice(at * PASSAGE_SENTENCES, (at + 1) * PASSAGE_SENTENCES).join(' '),
  );
const joined = (tokens: readonly string[]) => tokens.join(' ').replace(/ ([.,;:!?])/g, '$1');

function passageRows(folder: string): Row[] {
  const parallel = readRows<{ source: string; en: string; ro: string }>(folder, 'parallel').filter(
    ({ source }) => ['NTREX-128', 'SIB-200'].includes(source),
  );
  const ronec = readRows<{ source: string; tokens: string[] }>(folder, 'ner').filter(({ source }) =>
    source.startsWith('RONEC'),
  );
  const writtenCalmly: readonly [Language, string[]][] = [
    ['en', passagesOf(parallel.map(({ en }) => en))],
    ['ro', passagesOf(parallel.map(({ ro }) => ro))],
    ['ro', passagesOf(ronec.map(({ tokens }) => joined(tokens)))],
  ];
  return writtenCalmly.flatMap(([lang, texts]) =>
    texts
      .filter((_, at) => at % KEPT_APART > 0)
      .slice(0, MOST_PASSAGES)
      .map((text, at): Row => ({ text, lang, loud: false, set: 'passages', hand: `own ${at % FOLDS}` })),
  );
}

/** Parts of news articles in which annotators marked persuasion techniques: real texts that press, beside the written ones. */
const PART_SENTENCES = 20;
const LEAST_PART = 6;
const MOST_PARTS = 2;
/** Share of the sentences with a technique: from the first on a part presses; up to the second in its article it does not. */
const MARKED = { loud: 0.35, calm: 0.06 } as const;

function propagandaRows(folder: string): Row[] {
  const articles = new Map<string, { text: string; labels: readonly string[] }[]>();
  for (const row of readRows<{ doc: string; text: string; labels: string[] }>(folder, 'techniques')) {
    const known = articles.get(row.doc) ?? [];
    known.push(row);
    articles.set(row.doc, known);
  }
  const shareOf = (sentences: readonly { labels: readonly string[] }[]) =>
    sentences.filter(({ labels }) => labels.length > 0).length / sentences.length;
  return [...articles.values()].flatMap((sentences, article) => {
    const parts = Array.from({ length: MOST_PARTS }, (_, part) =>
      sentences.slice(part * PART_SENTENCES, (part + 1) * PART_SENTENCES),
    ).filter(({ length }) => length >= LEAST_PART);
    const isCalm = shareOf(sentences) < MARKED.calm;
    return parts.flatMap((part): Row[] => {
      const loud = shareOf(part) >= MARKED.loud;
      if (!loud && !isCalm) return [];
      const text = part.map((sentence) => sentence.text).join(' ');
      return [{ text, lang: 'en', loud, set: 'articles with techniques', hand: `own ${article % FOLDS}` }];
    });
  });
}

function messageRows(): Row[] {
  return readFileSync(packageFile('training', 'data', 'lures', 'messages.tsv'), 'utf8')
    .trim()
    .split('\n')
    .map((line): Row => {
      const [lang, kind, text = ''] = line.split('\t');
      const loud = kind !== 'none';
      return { text, lang: lang === 'ro' ? 'ro' : 'en', loud, set: 'lures', hand: 'messages' };
    });
}

/** Hands that wrote loud and calm texts on the same matters, nearly all of them in pairs, most in a quiet voice. */
const PAIRED_HANDS = [
  ...['ba', 'bb', 'bc', 'bd', 'be', 'bf', 'bh', 'bi', 'bj', 'bk', 'bm', 'bn'],
  ...['bp', 'bq', 'br', 'bs', 'bt', 'bu', 'cd', 'cq', 'cr', 'cs', 'ct'],
  ...['da', 'db', 'dc', 'dd', 'dg', 'dh', 'di', 'dj', 'dk', 'dl', 'do', 'dp'],
];

/** More of these, which only the nearest sentences learn from. */
const NEIGHBOUR_HANDS = ['dq', 'dr', 'ds', 'dt', 'du', 'dv', 'dw', 'dx'];

/** Hands that wrote whole texts to learn from. */
const WHOLE_HANDS = [
  ...['a', 'f', 'g', 'i', 'j', 'k', 'n', 'o', 'q', 'r', 's', 't', 'v', 'w', 'x', 'y', 'z'],
  ...['ab', 'ac', 'ad', 'ae', 'af', 'ag', 'ah', 'ai', 'aj', 'ak', 'al', 'am', 'an'],
  ...['at', 'au', 'av', 'aw', ...PAIRED_HANDS],
];

/** Hands that wrote passages, most of them calm. */
const PASSAGE_HANDS = [
  ...['l', 'ap', 'aq', 'bg', 'bl', 'bv', 'bw', 'cb'],
  ...['cm', 'cn', 'co', 'cp', 'cu', 'cv', 'cw', 'cx', 'cy', 'cz'],
  ...['de', 'df', 'dm', 'dn'],
];

/** Hands that teach by whole texts or passages; all others choose, measure or judge. */
export const TEACHING_HANDS: ReadonlySet<string> = new Set([
  ...WHOLE_HANDS,
  ...NEIGHBOUR_HANDS,
  ...PASSAGE_HANDS,
]);

/** All texts to learn from; `folder` is that of the sets of others. */
export function readingRows(folder: string): Row[] {
  return [
    ...ownRows(folder),
    ...moreRows(folder),
    ...passageRows(folder),
    ...propagandaRows(folder),
    ...WHOLE_HANDS.flatMap((hand) => linesOf(hand, 'hands', hand, 'whole.jsonl')),
    ...linesOf('e', 'hands', 'e', 'short.jsonl'),
    ...linesOf('g', 'hands', 'g', 'lures.jsonl'),
    ...['l', 'u', 'ah', 'ar', 'as', 'ax', 'ay'].flatMap((hand) =>
      linesOf(hand, 'hands', hand, 'messages.jsonl'),
    ),
    ...PASSAGE_HANDS.flatMap((hand) => linesOf(hand, 'hands', hand, 'calm.jsonl')),
    ...linesOf('second', 'second', 'development.jsonl'),
    ...linesOf('c', 'hands', 'c', 'narratives.jsonl'),
    ...linesOf('c', 'hands', 'c', 'lures.jsonl'),
    ...messageRows(),
  ];
}

/** The texts whose sentences are kept as neighbours (training/text-neighbours.ts). */
export const neighbourRows = (): Row[] =>
  [...PAIRED_HANDS, ...NEIGHBOUR_HANDS].flatMap((hand) => linesOf(hand, 'hands', hand, 'whole.jsonl'));

/** Short texts of one narrative or message. */
export const isShort = ({ hand, set }: Pick<Row, 'hand' | 'set'>): boolean =>
  hand === 'c' || hand === 'messages' || /(?:lures|messages)\.jsonl$/.test(set);
