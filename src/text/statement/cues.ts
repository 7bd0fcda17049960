import type { EncoderLanguage } from '../encoder/encoder.ts';

/** Marks that change what a statement says though most of its words stay the same. */
export type StatementCue =
  | 'possible'
  | 'due'
  | 'future'
  | 'all'
  | 'most'
  | 'some'
  | 'few'
  | 'only'
  | 'more'
  | 'less'
  | 'before'
  | 'after'
  | 'against'
  | 'until'
  | 'since'
  | 'from'
  | 'almost'
  | 'still'
  | 'one';

/** Folded words of each cue. */
const WORDS: Readonly<Record<EncoderLanguage, Readonly<Partial<Record<StatementCue, string>>>>> = {
  en: {
    possible: 'may might could can possibly perhaps maybe allegedly probably likely',
    due: 'should must ought',
    future: 'will shall',
    all: 'all every each any everyone everybody everything always whole entire',
    most: 'most mostly majority largely',
    some: 'some several certain sometimes',
    few: 'few fewer rarely seldom hardly barely',
    only: 'only solely merely exclusively just',
    more: 'more higher larger greater bigger over above exceeds outnumber',
    less: 'less lower smaller under below',
    before: 'before',
    after: 'after',
    against: 'against anti',
    until: 'until till',
    since: 'since',
    from: 'from',
    almost: 'almost nearly',
    still: 'still again anymore longer yet already formerly former',
    one: 'one single',
  },
  ro: {
    possible: 'poate pot putea posibil probabil eventual',
    due: 'trebuie trebui',
    future: 'va vor',
    all: 'toti toate tot toata tuturor fiecare orice oricine mereu intotdeauna intreg intreaga',
    most: 'majoritatea majoritate',
    some: 'unii unele cativa cateva anumiti anumite uneori',
    few: 'putini putine rareori abia',
    only: 'doar numai exclusiv',
    before: 'inainte inaintea',
    after: 'dupa',
    against: 'impotriva contra anti',
    until: 'pana',
    from: 'din',
    almost: 'aproape',
    still: 'inca deja',
  },
};

const BY_WORD: Readonly<Record<EncoderLanguage, ReadonlyMap<string, StatementCue>>> = {
  en: index('en'),
  ro: index('ro'),
};

function index(language: EncoderLanguage): ReadonlyMap<string, StatementCue> {
  const rows = Object.entries(WORDS[language]) as [StatementCue, string][];
  return new Map(rows.flatMap(([cue, words]) => words.split(' ').map((word) => [word, cue] as const)));
}

/** Words that deny by themselves. */
const NEGATIONS: Readonly<Record<EncoderLanguage, ReadonlySet<string>>> = {
  en: new Set(
    'not no never none nobody nothing neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt couldnt shouldnt hasnt havent hadnt aint false falsely untrue hoax myth fake deny denies denied denying disprove disproves disproved debunk debunks debunked refute refutes refuted lie lies'.split(
      ' ',
    ),
  ),
  ro: new Set(
    'nu fara fals falsa false falsi mit mitul minciuna minciuni neaga negat dezmint dezminte dezmintit infirma infirmat'.split(
      ' ',
    ),
  ),
};

/** In Romanian these stand beside "nu" and deny with it, once; alone they deny as well. */
const CONCORD: ReadonlySet<string> = new Set(
  'niciodata nimeni nimic nici niciun nicio niciunul niciuna nicaieri nicidecum deloc'.split(' '),
);

/** The cue that a folded word is; undefined for most words. */
export function cueOf(word: string, language: EncoderLanguage): StatementCue | undefined {
  return BY_WORD[language].get(word);
}

/** Whether a folded word denies. */
export function isNegation(word: string, language: EncoderLanguage): boolean {
  return NEGATIONS[language].has(word) || (language === 'ro' && CONCORD.has(word));
}

/** How often folded words deny; Romanian words that deny together count once. */
export function countNegations(words: readonly string[], language: EncoderLanguage): number {
  const own = words.filter((word) => NEGATIONS[language].has(word)).length;
  if (language === 'en') return own;
  const together = words.some((word) => CONCORD.has(word));
  return together && !words.includes('nu') ? own + 1 : own;
}

/**
 * Cues of a Romanian comparison: "mai" is more, with "puțin" less, after "cel" most. English says it by endings, which are
 * part of the words there.
 */
export function comparisonsOf(words: readonly string[]): StatementCue[] {
  return words.flatMap((word, at): StatementCue[] => {
    if (word !== 'mai') return word === 'peste' ? ['more'] : word === 'sub' ? ['less'] : [];
    if (/^(?:cel|cea|cei|cele)$/.test(words[at - 1] ?? '')) return ['most'];
    return /^putin/.test(words[at + 1] ?? '') ? ['less'] : ['more'];
  });
}
