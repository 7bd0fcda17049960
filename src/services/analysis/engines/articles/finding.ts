import { roundTo } from '../../../../foundation/numbers.ts';
import type { EncoderLanguage } from '../../../../text/encoder/encoder.ts';
import { clickbaitChance } from '../../../../text/headlines.ts';
import { loadTextClassifier, type TextClassifier } from '../../../../text/text-classifier.ts';
import type { ParsedText } from '../context/parsed-text.ts';
import { knownLanguage, vectorAt } from '../encoding/text-encoding.ts';
import { loadArticleModel } from './article.ts';

/** Results of the trained models for a whole article; null where they cannot judge. */
export interface ArticleFinding {
  /** Chance, 0 to 1, that the article takes sides; it may have no headline. */
  readonly one_sided: number | null;
  /** Chance, 0 to 1, that its headline was written to be clicked. */
  readonly clickbait: number | null;
}

/** A text that cannot be judged: it is in another language, or it was not read as an article. */
export const NO_ARTICLE: ArticleFinding = { one_sided: null, clickbait: null };

/** Weights of the models. */
interface ArticleWeights {
  /** Bytes of models/articles-en.bin. */
  readonly articles: () => Uint8Array;
  /** Bytes of the classifiers of headlines, models/clickbait-en.bin and models/clickbait-ro.bin. */
  readonly headlines: Readonly<Record<EncoderLanguage, () => Uint8Array>>;
}

/** A text with a shorter body is not classified as an article. */
const LEAST_BODY_WORDS = 150;
/** A shorter headline is a label. */
const LEAST_HEADLINE_WORDS = 4;
const PLACES = 3;

/** Reads articles; each model is loaded when a text first needs it. */
export function createArticleClassifier(weights: ArticleWeights): (reading: ParsedText) => ArticleFinding {
  let articles: ReturnType<typeof loadArticleModel> | undefined;
  const clickbaitOf = createHeadlineReader(weights.headlines);
  return (reading) => {
    const { headline, words, bodyFrom, input } = reading;
    const clickbait = rounded(clickbaitOf(reading));
    if (knownLanguage(input.language) !== 'en' || words.length - bodyFrom < LEAST_BODY_WORDS)
      return { ...NO_ARTICLE, clickbait };
    articles ??= loadArticleModel(weights.articles());
    const { text, start, end } = headline ?? { text: '', start: null, end: null };
    const isInside = start !== null && end !== null;
    const one_sided = articles.oneSided({
      text: isInside || text === '' ? input.text : `${text}\n\n${input.text}`,
      headline: isInside ? { start, end } : undefined,
      encoding: input.encoding,
    });
    return { one_sided: rounded(one_sided), clickbait };
  };
}

/** Chance that the headline was written to be clicked; its vector, which a title outside the text lacks, makes it surer. */
function createHeadlineReader(
  weights: ArticleWeights['headlines'],
): (reading: ParsedText) => number | undefined {
  const loaded: Partial<Record<EncoderLanguage, TextClassifier>> = {};
  return (reading) => {
    const { headline, headlineWords, input } = reading;
    const language = knownLanguage(input.language);
    if (language === undefined || headline === null || headlineWords.length < LEAST_HEADLINE_WORDS)
      return undefined;
    loaded[language] ??= loadTextClassifier(weights[language]());
    const vector =
      headline.start === null || input.encoding === undefined
        ? undefined
        : vectorAt(input.encoding, headline.start);
    return clickbaitChance(loaded[language].classify(headline.text, vector));
  };
}

const rounded = (chance: number | undefined) => (chance === undefined ? null : roundTo(chance, PLACES));
