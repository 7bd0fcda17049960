/** Why a text that a model wrote may not be stored. */
export type RejectionReason =
  | 'empty'
  | 'too_long'
  | 'markup'
  | 'wrong_language'
  | 'invented_quote'
  | 'invented_number'
  | 'unfounded_falsity';

/** The facts that a model-written explanation must agree with. */
export interface ExplanationFacts {
  language: 'en' | 'ro';
  /** Names the language of a text: ISO 639-1 or und. */
  identify: (text: string) => string;
  /** Texts that may be quoted and whose numbers may be named: the analysed text, evidence, names of findings. */
  sources: readonly string[];
  /** Numbers of the record that may be named. */
  numbers: readonly number[];
  /** The record itself shows that something is false. */
  falsityShown: boolean;
}

const LENGTH = { least: 40, most: 1500 };
/** Shorter quotations are single words set apart, not quotes. */
const SHORTEST_QUOTE = 8;
/** Small counts ("three passages") are said freely. */
const FREE_NUMBERS_TO = 10;

const quotation = /[“„"«]([^“”„"«»]{2,}?)[”"“»]/gu;
const markup = /<[a-z/!][^>]*>|```|\]\(|^#{1,6}\s|\*\*/imu;
const falsity = {
  en: /(?<!\b(?:not|n't|whether it|if it)\s)\b(?:is|are|was|were)\s+(?:(?:completely|entirely|totally|clearly|proven|proved|demonstrably)\s+)?(?:false|fake|untrue|a lie|lies|a hoax|fabricated|disinformation)\b/iu,
  ro: /(?<!\bnu\s)(?<![\p{L}])(?:este|e|sunt|era|erau)\s+(?:(?:complet|total|în totalitate|evident|dovedit)\s+)?(?:fals[ăei]?|false|minciun[ăi]|o minciună|neadevărat[ăe]?|inventat[ăe]?|dezinformare|un fals)(?![\p{L}])/iu,
};

/** The first reason to reject a model-written explanation; null when it may be stored. */
export function rejectionReason(explanation: string, ground: ExplanationFacts): RejectionReason | null {
  const text = explanation.trim();
  if (text === '') return 'empty';
  const length = [...text].length;
  if (length > LENGTH.most) return 'too_long';
  if (length < LENGTH.least) return 'empty';
  if (markup.test(text)) return 'markup';
  const spoken = text.replace(quotation, ' ');
  if (ground.identify(spoken) !== ground.language) return 'wrong_language';
  if (!quotesAreVerbatim(text, ground.sources)) return 'invented_quote';
  if (!numbersAreKnown(text, ground)) return 'invented_number';
  if (!ground.falsityShown && falsity[ground.language].test(spoken)) return 'unfounded_falsity';
  return null;
}

/** Compares without regard to white space, case of quotation marks, and dots of omission at the ends. */
function plain(text: string): string {
  return text
    .replace(/[“”„"«»‘’]/gu, "'")
    .replace(/\s+/gu, ' ')
    .trim();
}

function quotesAreVerbatim(text: string, sources: readonly string[]): boolean {
  const known = sources.map(plain);
  return [...text.matchAll(quotation)].every(([, inside = '']) => {
    const quote = plain(inside).replace(/^(?:…|\.\.\.)\s*|\s*(?:…|\.\.\.|[.,;])$/gu, '');
    return quote.length < SHORTEST_QUOTE || known.some((source) => source.includes(quote));
  });
}

function numbersIn(text: string): number[] {
  return [...text.matchAll(/\d+(?:[.,]\d+)?/gu)].map(([digits]) => Number(digits.replace(',', '.')));
}

function numbersAreKnown(text: string, { sources, numbers }: ExplanationFacts): boolean {
  const known = new Set(sources.flatMap(numbersIn));
  for (const number of numbers) for (const places of [0, 1, 2]) known.add(Number(number.toFixed(places)));
  return numbersIn(text).every(
    (number) =>
      known.has(number) || (Number.isInteger(number) && number <= FREE_NUMBERS_TO) || number === 100,
  );
}
