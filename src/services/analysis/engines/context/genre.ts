import genreData from '../../../../../data/context/genres.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import { fold } from '../../../../text/folding.ts';
import { capitalRuns, exclamationRows, type ParsedText, scaledByLength } from './parsed-text.ts';
import type { Sourcing } from './sourcing.ts';
import type { Subject } from './subject.ts';

/** The genre of a text. */
export interface GenreFinding {
  code: string;
  /** 0 to 1: its chance by the model, or how far phrases speak for it alone. */
  confidence: number;
  /** The page's markup or a known source says satire. */
  labelled: boolean;
  /** The text's own words call it satire; absent where they do not. */
  stated?: true;
}

const CONFIDENCE_PLACES = 3;

const labelWords = [...genreData.labels.words.en, ...genreData.labels.words.ro].map(
  (word) => fold(word, 'strip').text,
);
const asLabel = new RegExp(
  `[#(\\[]\\s?(?:${labelWords.join('|')})\\b|(?:^|\\n)\\s?(?:${labelWords.join('|')})\\s?(?:[:|\\n-]|\\.(?=\\s|$)|$)`,
  'u',
);

/** A genre is named from this chance on. */
const LEAST_CHANCE = 0.35;

/**
 * The genre by the model, or by phrases and form where it could not judge. Anybody can write "Satire" over anything: such words name
 * the genre, and only the page's markup or a known source labels it.
 */
export function genreOf(
  parsed: ParsedText,
  sourcing: Sourcing,
  subject: Subject | null = null,
): GenreFinding {
  const satire = { code: 'satire', confidence: genreData.labelled_confidence };
  if (isLabelledSatire(parsed)) return { ...satire, labelled: true };
  if (callsItselfSatire(parsed)) return { ...satire, labelled: false, stated: true };
  return subject === null ? genreByPhrases(parsed, sourcing) : genreByModel(subject);
}

function genreByModel({ genres }: Subject): GenreFinding {
  const [best] = Object.entries(genres).sort((a, b) => b[1] - a[1]);
  const [code, chance] = best ?? ['other', 0];
  return chance < LEAST_CHANCE || code === 'other'
    ? { code: 'other', confidence: 0, labelled: false }
    : { code, confidence: roundTo(chance, CONFIDENCE_PLACES), labelled: false };
}

function genreByPhrases(parsed: ParsedText, sourcing: Sourcing): GenreFinding {
  const scores = genreScores(parsed, sourcing);
  const [best, second] = [...scores].sort((a, b) => b[1] - a[1]);
  const [code, top] = best ?? ['other', 0];
  const confidence = roundTo(top / (top + (second?.[1] ?? 0) + genreData.doubt), CONFIDENCE_PLACES);
  return top < genreData.least_score
    ? { code: 'other', confidence: 0, labelled: false }
    : { code, confidence, labelled: false };
}

/** A note of the extraction, or a satirical source. */
function isLabelledSatire({ input }: ParsedText): boolean {
  return (
    input.satirical_source || input.flags.some((flag) => genreData.satire_flags.includes(flag.toLowerCase()))
  );
}

/** The text's own word in its title, head or foot. */
function callsItselfSatire({ input, matches, words }: ParsedText): boolean {
  const { text, title } = input;
  const head = genreData.label_window;
  const foot = text.length - genreData.label_window;
  const stated = matches.some((match) => {
    const start = words[match.from]?.start ?? 0;
    return match.value.kind === 'label' && (start < head || start >= foot);
  });
  if (stated) return true;
  const edges = [title ?? '', text.slice(0, head), text.slice(Math.max(0, foot))];
  return edges.some((edge) => asLabel.test(fold(edge, 'strip').text));
}

function genreScores(parsed: ParsedText, sourcing: Sourcing): Map<string, number> {
  const scores = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const { phrase, value } of parsed.matches) {
    if (value.kind !== 'genre') continue;
    const key = `${value.code} ${phrase}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > genreData.genre_counts.largest_per_term) continue;
    scores.set(value.code, (scores.get(value.code) ?? 0) + value.weight);
  }
  const { social_post: social, news } = genreData.features;
  const add = (code: string, score: number) => scores.set(code, (scores.get(code) ?? 0) + score);
  add('social_post', Math.min(social.largest, socialForm(parsed)));
  add('news', Math.min(news.largest, sourcing.attributed.length * news.attributed_sentence));
  return scores;
}

/** How much the form is that of a post: tags, mentions, emoji, shouting. */
function socialForm({ input: { text }, words }: ParsedText): number {
  const weights = genreData.features.social_post;
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const form =
    weights.hashtag * count(/(?:^|\s)#\p{L}/gu) +
    weights.mention * count(/(?:^|\s)@\w/gu) +
    weights.emoji * count(/\p{Extended_Pictographic}/gu) +
    weights.exclamation_row * exclamationRows(text).length +
    weights.capital_run * capitalRuns(text, words).length;
  return scaledByLength(form, words.length);
}
