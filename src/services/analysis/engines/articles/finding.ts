import { roundTo } from '../../../../foundation/numbers.ts';
import { loadTextClassifier } from '../../../../text/text-classifier.ts';
import type { ParsedText } from '../context/parsed-text.ts';
import { loadArticleModel } from './article.ts';

/** Results of the trained models for a whole article; null where they cannot judge. */
export interface ArticleFinding {
  /** Chance, 0 to 1, that the article takes sides; it may have no headline. */
  readonly one_sided: number | null;
  /** Chance, 0 to 1, that its headline was written to be clicked. */
  readonly clickbait: number | null;
}

/** A text that cannot be judged: it is no article in English, or it was not read as one. */
export const NO_ARTICLE: ArticleFinding = { one_sided: null, clickbait: null };

/** Weights of the two models. */
interface ArticleWeights {
  /** Bytes of models/articles-en.bin and models/clickbait-en.bin. */
  readonly articles: () => Uint8Array;
  readonly headlines: () => Uint8Array;
}

/** A text with a shorter body is not classified as an article. */
const LEAST_BODY_WORDS = 150;
/** A shorter headline is a label. */
const LEAST_HEADLINE_WORDS = 4;
const PLACES = 3;

/** Reads articles; each model is loaded when a text first needs it. */
export function createArticleClassifier(weights: ArticleWeights): (reading: ParsedText) => ArticleFinding {
  let articles: ReturnType<typeof loadArticleModel> | undefined;
  let headlines: ReturnType<typeof loadTextClassifier> | undefined;
  return (reading) => {
    const { headline, headlineWords, words, bodyFrom, input } = reading;
    if (input.language.slice(0, 2).toLowerCase() !== 'en') return NO_ARTICLE;
    const isTold = headline !== null && headlineWords.length >= LEAST_HEADLINE_WORDS;
    if (isTold) headlines ??= loadTextClassifier(weights.headlines());
    const clickbait = isTold ? headlines?.classify(headline.text).shares.clickbait : undefined;
    if (words.length - bodyFrom < LEAST_BODY_WORDS) return { ...NO_ARTICLE, clickbait: rounded(clickbait) };
    articles ??= loadArticleModel(weights.articles());
    const { text, start, end } = headline ?? { text: '', start: null, end: null };
    const isInside = start !== null && end !== null;
    const one_sided = articles.oneSided({
      text: isInside || text === '' ? input.text : `${text}\n\n${input.text}`,
      headline: isInside ? { start, end } : undefined,
      encoding: input.encoding,
    });
    return { one_sided: rounded(one_sided), clickbait: rounded(clickbait) };
  };
}

const rounded = (chance: number | undefined) => (chance === undefined ? null : roundTo(chance, PLACES));
