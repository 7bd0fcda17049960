import { z } from 'zod';

/** Patterns read folded text: an entry with capitals or diacritics would never be found. */
const entry = z
  .string()
  .min(1)
  .refine((written) => !/[A-Z]|[^\p{ASCII}\p{P}\p{S}]/u.test(written.replace(/\\./gu, '')), {
    error: 'is to be written as folded text is, in small letters without diacritics',
  });

const list = z.strictObject({
  why: z.string().min(1),
  en: z.array(entry).default([]),
  ro: z.array(entry).default([]),
  /** Marks, digits and combinations of parts, which belong to no language. */
  any: z.array(entry).default([]),
});

const hasEntries = ({ en, ro, any }: z.output<typeof list>) => en.length + ro.length + any.length > 0;
const EMPTY = 'has no entries';

/** Where the entries of a pattern are looked for. */
const PLACES = ['first_words', 'whole_words', 'word_beginnings', 'as_written'] as const;

/** What stands before and behind the entries of a pattern, by their place. */
const EDGES = {
  first_words: ['^', '\\b'],
  whole_words: ['\\b', '\\b'],
  word_beginnings: ['\\b', ''],
  as_written: ['', ''],
} as const;

const wordingFile = z.object({
  parts: z.record(z.string(), list.refine(hasEntries, EMPTY)).default({}),
  patterns: z.record(z.string(), list.extend({ place: z.enum(PLACES) }).refine(hasEntries, EMPTY)),
});

type List = z.output<typeof list>;
type Parts = Readonly<Record<string, List>>;

/** Signs that mean something else than in a regular expression; escapes and classes of characters stay as they are. */
const SIGN = /\\.[*+?]?|\[[^\]]*\]|\((?!\?)|(?<=[a-z])\*|_|\{([a-z_]+)\}/gu;

/**
 * Reads a file of `data/wording`, whose README describes the notation, and gives its patterns by name. A file that breaks
 * the notation or names a part that is not there throws.
 */
export function wordingOf<Name extends string>(file: {
  readonly patterns: Readonly<Record<Name, unknown>>;
}): (name: Name, flags?: 'g') => RegExp {
  const { parts, patterns } = wordingFile.parse(file);
  return (name, flags) => {
    const pattern = patterns[name];
    if (pattern === undefined) throw new Error(`no pattern is called ${name}`);
    const [before, behind] = EDGES[pattern.place];
    return new RegExp(`${before}${groupOf(pattern, parts, [])}${behind}`, flags);
  };
}

/** All entries of a list as alternatives; `within` are the parts that are being written out, so that none holds itself. */
function groupOf({ en, ro, any }: List, parts: Parts, within: readonly string[]): string {
  const alternatives = [...en, ...ro, ...any].map((written) =>
    written.replace(SIGN, (sign: string, part: string | undefined) => {
      if (part !== undefined) return partOf(part, parts, within);
      if (sign === '(') return '(?:';
      if (sign === '*') return '\\w*';
      return sign === '_' ? '\\w+' : sign;
    }),
  );
  return `(?:${alternatives.join('|')})`;
}

function partOf(name: string, parts: Parts, within: readonly string[]): string {
  const found = parts[name];
  if (found === undefined) throw new Error(`no part is called ${name}`);
  if (within.includes(name)) throw new Error(`the part ${name} holds itself`);
  return groupOf(found, parts, [...within, name]);
}
