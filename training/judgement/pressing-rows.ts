/** Texts and sentences of which the direction "presses its reader" is learned (training/whole-text.ts). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../src/foundation/files.ts';
import { sentencesOf } from '../../src/text/sentences.ts';
import type { Language } from '../encoder/evaluation.ts';
import { readRows, shuffled } from '../rows.ts';
import { rowsOf, wholeTexts } from './sets.ts';

/** A text or a sentence that presses its reader, or does not. */
export interface PressingRow {
  readonly set: string;
  /** Register or kind: what is left out together when a text is scored. */
  readonly register: string;
  readonly lang: Language;
  readonly loud: boolean;
  readonly text: string;
}

const MOST_SENTENCES = 25;
const cut = (text: string) => text.slice(0, sentencesOf(text)[MOST_SENTENCES - 1]?.end ?? text.length);
const part = <Row>(rows: readonly Row[], count: number) => shuffled(rows, 7).slice(0, count);

/** Whole texts: our own half, articles and web pages of others. Those that may be of either kind teach nothing. */
export function pressingTexts(folder: string): PressingRow[] {
  const row = (set: string, register: string, text: string, loud: boolean, lang: Language = 'en') => ({
    set,
    register,
    text: cut(text),
    loud,
    lang,
  });
  const calm = rowsOf('calm').map(({ register = '', text, lang }) =>
    row('calm', register, text, false, lang),
  );
  const whole = wholeTexts(undefined, folder).flatMap(({ kind, register, text, lang, expected }) => {
    const accept = expected?.accept ?? [];
    const isLow = accept.includes('low');
    return isLow && accept.length > 1 ? [] : [row('whole', kind ?? register ?? '', text, !isLow, lang)];
  });
  const honest = rowsOf('scams').filter(({ scam }) => scam !== true);
  const articles = readRows<{ text: string; label: string }>(folder, 'hyperpartisan');
  const sided = articles.filter(({ label }) => label === 'hyperpartisan');
  const mainstream = articles.filter(({ label }) => label !== 'hyperpartisan');
  const pages = readFileSync(join(folder, 'extraction', 'wcxb-dev', 'index.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { gold?: { text?: string } }).gold?.text ?? '')
    .filter((text) => text.length > 600);
  return [
    ...calm,
    ...whole,
    ...honest.map(({ text, lang }) => row('honest messages', '', text, false, lang)),
    ...part(sided, 140).map(({ text }) => row('hyperpartisan', '', text, true)),
    ...part(mainstream, 160).map(({ text }) => row('mainstream', '', text, false)),
    ...part(pages, 100).map((text) => row('web pages', '', text, false)),
  ];
}

type Raw = Readonly<Record<string, unknown>>;

/** What of a set is used: rows that pass, at most so many, and how each is read. */
interface Choice {
  readonly set: string;
  readonly task: string;
  readonly loud: boolean;
  readonly lang: Language;
  readonly most: number;
  readonly passes?: (row: Raw) => boolean;
  readonly textOf?: (row: Raw) => string;
}

const labelled =
  (...labels: readonly string[]) =>
  ({ label }: Raw) =>
    labels.includes(String(label));
const isRomanian = ({ lang }: Raw) => lang === 'ro';
const labelsOf = ({ labels }: Raw) => labels as readonly string[];
const isRed = (row: Raw) => isRomanian(row) && row.source !== 'XED';
const isWritten = ({ source }: Raw) => ['XQuAD', 'NTREX-128', 'SIB-200'].includes(String(source));
const joinedTokens = ({ tokens }: Raw) =>
  (tokens as readonly string[]).join(' ').replace(/ ([.,;:!?])/g, '$1');

const CHOICES: readonly Choice[] = [
  {
    set: 'ptc',
    task: 'techniques',
    loud: true,
    lang: 'en',
    most: 2500,
    passes: (row) => labelsOf(row).length > 0,
  },
  {
    set: 'ptc',
    task: 'techniques',
    loud: false,
    lang: 'en',
    most: 2500,
    passes: (row) => labelsOf(row).length === 0,
  },
  { set: 'climate', task: 'fallacy_climate', loud: true, lang: 'en', most: 700 },
  {
    set: 'offence',
    task: 'toxicity',
    loud: true,
    lang: 'ro',
    most: 1800,
    passes: (row) => isRomanian(row) && labelled('abuse', 'insult')(row),
  },
  {
    set: 'offence',
    task: 'toxicity',
    loud: false,
    lang: 'ro',
    most: 1500,
    passes: (row) => isRomanian(row) && labelled('other')(row),
  },
  { set: 'offence', task: 'toxicity', loud: true, lang: 'en', most: 600, passes: labelled('hate') },
  { set: 'offence', task: 'toxicity', loud: false, lang: 'en', most: 600, passes: labelled('neither') },
  {
    set: 'comments',
    task: 'fallacy_comments',
    loud: true,
    lang: 'en',
    most: 800,
    passes: (row) => !labelled('none')(row),
    textOf: ({ highlight, text }) => String(highlight || text),
  },
  {
    set: 'comments',
    task: 'fallacy_comments',
    loud: false,
    lang: 'en',
    most: 600,
    passes: labelled('none'),
    textOf: ({ text }) => String(text).slice(0, 300),
  },
  {
    set: 'emotion',
    task: 'emotion',
    loud: true,
    lang: 'ro',
    most: 700,
    passes: (row) => isRed(row) && labelsOf(row).some((label) => label === 'anger' || label === 'fear'),
  },
  {
    set: 'emotion',
    task: 'emotion',
    loud: false,
    lang: 'ro',
    most: 700,
    passes: (row) => isRed(row) && labelsOf(row).length === 0,
  },
  {
    set: 'parallel',
    task: 'parallel',
    loud: false,
    lang: 'en',
    most: 1200,
    passes: isWritten,
    textOf: ({ en }) => String(en),
  },
  {
    set: 'parallel',
    task: 'parallel',
    loud: false,
    lang: 'ro',
    most: 1200,
    passes: isWritten,
    textOf: ({ ro }) => String(ro),
  },
  { set: 'debates', task: 'checkworthy', loud: false, lang: 'en', most: 800 },
  { set: 'reviews', task: 'sentiment', loud: false, lang: 'en', most: 900 },
  {
    set: 'ronec',
    task: 'ner',
    loud: false,
    lang: 'ro',
    most: 900,
    passes: ({ source }) => String(source).startsWith('RONEC'),
    textOf: joinedTokens,
  },
];

const LEAST_CHARACTERS = 25;
const isLong = ({ text }: { readonly text: string }) => text.length >= LEAST_CHARACTERS;

/** Sentences and short texts: of others by label, and our own that are not held back. */
export function pressingSentences(folder: string): PressingRow[] {
  const foreign = CHOICES.flatMap(({ set, task, loud, lang, most, passes = () => true, textOf }) =>
    shuffled(readRows<Raw>(folder, task).filter(passes), 11)
      .slice(0, most)
      .map((row) => ({ set, register: '', lang, loud, text: (textOf ?? (({ text }) => String(text)))(row) })),
  );
  return [...foreign.filter(isLong), ...ownSentences()];
}

const linesOf = (...names: readonly string[]) =>
  readFileSync(packageFile('training', 'data', ...names), 'utf8')
    .trim()
    .split('\n');

function ownSentences(): PressingRow[] {
  interface Line {
    readonly lang: Language;
    readonly text: string;
    readonly asserts?: boolean;
    readonly label?: boolean;
    readonly held?: boolean;
  }
  const told = linesOf('narratives', 'paraphrases.jsonl').map((line) => JSON.parse(line) as Line);
  const romanian = linesOf('diffuse', 'romanian.jsonl').map((line) => JSON.parse(line) as Line);
  const messages = linesOf('lures', 'messages.tsv').map((line) => line.split('\t'));
  return [
    ...told.map(({ lang, text, asserts }) => ({
      set: 'narratives',
      register: '',
      lang,
      loud: asserts === true,
      text,
    })),
    ...romanian
      .filter(({ held }) => held !== true)
      .map(({ text, label }) => ({
        set: 'romanian',
        register: '',
        lang: 'ro' as const,
        loud: label === true,
        text,
      })),
    ...messages.map(([lang, kind, text = '']) => ({
      set: 'messages',
      register: '',
      lang: lang === 'ro' ? ('ro' as const) : ('en' as const),
      loud: kind !== 'none',
      text,
    })),
  ];
}
