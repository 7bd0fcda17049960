import ruleData from '../../../../../data/context/rules.json' with { type: 'json' };
import type { Sentence } from '../../../../text/sentences.ts';
import { cueMatches, type LexiconMatch, type ParsedText } from './parsed-text.ts';

/** How a text names its sources. */
export interface Sourcing {
  /** Declarative sentences that state something. */
  factual: Sentence[];
  /** Sentences that give a source other than an anonymous one. */
  attributed: Sentence[];
  anonymous: LexiconMatch[];
  /** Share of the factual sentences that the sources cannot carry, 0 to 1; null when there is too little to judge. */
  missing: number | null;
}

/** Names of bodies that speak for themselves: a bank, an office, a town hall; words are bounded, so that no text is slow to read. */
const BODY =
  "(?<![\\p{L}])(?:(?:\\p{Lu}[\\p{L}.&'-]{0,24}\\s(?:of\\s|for\\s)?){1,4}(?:Bank|Council|Office|Hospital|University|School|Company|Library|Museum|Agency|Ministry|Police|Railways?|Water|Energy|Airlines?|Authority|Association|Institute|Ltd|Inc)|(?:Banca|Primăria|Consiliul|Spitalul|Universitatea|Școala|Compania|Biblioteca|Muzeul|Agenția|Ministerul|Poliția|Asociația|Autoritatea|Inspectoratul|Institutul|Direcția)(?:\\s(?:de\\s|pentru\\s)?\\p{L}{1,24}){0,2}?\\s\\p{Lu}[\\p{L}-]{0,24}(?:\\s\\p{Lu}[\\p{L}-]{0,24}){0,3})";

/** A body that gives its name and speaks as "we", heads the sentence, or informs; an alert system that names itself. */
const OWN_NOTICE = new RegExp(
  [
    `\\b(?:[Aa]t|[Ww]e at|[Ff]rom)\\s${BODY},?\\s(?:we|our)(?!\\p{L})`,
    `\\b[Ww]e,?\\s(?:at|of)\\s(?:the\\s)?${BODY}`,
    `^${BODY}\\s*:\\s`,
    `${BODY}\\s(?:informs|advises|reminds|regrets|wishes to|would like to)(?!\\p{L})`,
    `(?<!\\p{L})(?:[Ll]a|[Nn]oi,?(?:\\sla)?)\\s${BODY},?\\s(?:noi|am|avem|vom|suntem|ne)(?!\\p{L})`,
    `${BODY}\\s(?:vă\\s|își\\s)?(?:informează|anunță|reamintește|comunică|aduce la cunoștință)(?!\\p{L})`,
    '^RO-?ALERT(?!\\p{L})',
  ].join('|'),
  'u',
);

/** A notice in which a body speaks for itself names its source: the sentence where it does so. A lure takes any name. */
function ownNotices({ sentences }: ParsedText, isLure: boolean): Sentence[] {
  const first = isLure ? undefined : sentences.find(({ text }) => OWN_NOTICE.test(text));
  return first === undefined ? [] : [first];
}

const SHORTEST_STATEMENT_WORDS = 6;
const link = /https?:\/\/\S/u;

/** Looks at who is named as the source of what the text states; `isLure`: the text is one for money or data. */
export function sourcingOf(parsed: ParsedText, isLure: boolean): Sourcing {
  const anonymous = cueMatches(parsed, 'anonymous_source');
  const calls = new Set(sentencesWith(parsed, cueMatches(parsed, 'share_call')));
  const unnamed = new Set(sentencesWith(parsed, anonymous));
  const cited = new Set(sentencesWith(parsed, cueMatches(parsed, 'attribution')));
  const factual = parsed.sentences.filter((sentence) => isStatement(sentence) && !calls.has(sentence));
  const own = ownNotices(parsed, isLure);
  const attributed = parsed.sentences.filter(
    (sentence) =>
      link.test(sentence.text) || own.includes(sentence) || (cited.has(sentence) && !unnamed.has(sentence)),
  );
  const carried = attributed.length * ruleData.factual_sentences_per_source;
  const judged = factual.length >= ruleData.least_factual_sentences;
  const missing = judged ? Math.max(0, factual.length - carried) / factual.length : null;
  return { factual, attributed, anonymous, missing };
}

function isStatement({ text }: Sentence): boolean {
  if (text.endsWith('?')) return false;
  return text.split(/\s+/u, SHORTEST_STATEMENT_WORDS).length >= SHORTEST_STATEMENT_WORDS;
}

/** The sentences in which the matches lie; both run in order of the text. */
function sentencesWith(parsed: ParsedText, matches: readonly LexiconMatch[]): Sentence[] {
  const sentences: Sentence[] = [];
  let at = 0;
  for (const match of matches) {
    const start = parsed.words[match.from]?.start ?? 0;
    while (at < parsed.sentences.length && (parsed.sentences[at]?.end ?? 0) <= start) at++;
    const sentence = parsed.sentences[at];
    if (sentence !== undefined && sentences.at(-1) !== sentence) sentences.push(sentence);
  }
  return sentences;
}
