import { decodePage } from './charset.ts';
import { claimReviews, jsonLdTexts, longestText, typesOf } from './json-ld.ts';
import { plainWords } from './line-wording.ts';
import { type MainText, mainText } from './main-text.ts';
import {
  isFactCheck,
  leadingPictures,
  type PageFacts,
  pageFactsOf,
  readPageMetadata,
  type Statements,
} from './metadata.ts';
import { type Page, readPage } from './page.ts';
import type { PageStatements } from './page-features.ts';
import { boundedMetadata, type PageMetadata, textHash, truncateUnits } from './page-metadata.ts';
import { readPdf } from './pdf.ts';
import {
  aiDisclosures,
  isPaywalled,
  isSatire,
  isSponsored,
  noticeRanges,
  type PageObstacle,
  pageObstacle,
  readHints,
} from './signs.ts';

/** A response body before extraction. */
export interface PageBytes {
  bytes: Uint8Array;
  /** The header, with its charset. */
  contentType: string | undefined;
  /** By header and bytes. */
  mediaType: string;
  /** After redirects. */
  url: string;
  withHtml?: boolean | undefined;
  /** UTF-16 units of text beyond which it is cut; everything when absent. */
  longestText?: number | undefined;
}

/** The extracted page; a pure function of its bytes, its address and the day. */
export interface ExtractedPage {
  text: string;
  /** UTF-16 units of the whole text. */
  textLength: number;
  /** SHA-256 of the whole text with white space squashed and letters composed, in hexadecimal. */
  textHash: string;
  /** Decoded source, when it was asked for. */
  html: string | null;
  metadata: PageMetadata;
  /** Why this is not the requested page; null when it is. */
  obstacle: PageObstacle | null;
}

const NO_FACTS: PageFacts = {
  title: null,
  publisher: null,
  author: null,
  published_at: null,
  published_at_source: null,
  modified_at: null,
  language: null,
  canonical_url: null,
  site_name: null,
  description: null,
};
const NO_FLAGS = { paywalled: false, satire: false, sponsored: false, fact_check: false };

const today = () => new Date().toISOString().slice(0, 10);

/** What is read of a page before its length is looked at. */
type WholePage = Pick<ExtractedPage, 'text' | 'html' | 'metadata' | 'obstacle'>;

/** Main text, metadata and signs of one page; throws TooComplexError for what no page needs to be. */
export function extractPage(page: PageBytes, latestDay: string = today()): ExtractedPage {
  return bounded(wholePage(page, latestDay), page);
}

/** Text and metadata of a PDF document; rejects for one that is damaged or locked. */
export async function extractDocument(page: PageBytes): Promise<ExtractedPage> {
  const { text, facts } = await readPdf(page.bytes, page.longestText);
  const metadata: PageMetadata = {
    ...NO_FACTS,
    ...facts,
    images: [],
    flags: NO_FLAGS,
    ai_disclosures: [],
    claim_reviews: [],
    text_source: text === '' ? 'none' : 'pdf',
    encoding: 'UTF-8',
  };
  return bounded({ text, html: null, metadata, obstacle: null }, page);
}

function wholePage(page: PageBytes, latestDay: string): WholePage {
  const { text: source, encoding } = decodePage(page.bytes, page.contentType);
  const html = page.withHtml === true ? source : null;
  return page.mediaType === 'text/plain'
    ? plainPage(source, encoding, html)
    : htmlPage(source, page.url, encoding, html, latestDay);
}

function bounded(whole: WholePage, page: PageBytes): ExtractedPage {
  return {
    ...whole,
    text: truncateUnits(whole.text, page.longestText ?? Number.POSITIVE_INFINITY),
    textLength: whole.text.length,
    textHash: textHash(whole.text),
    metadata: boundedMetadata(whole.metadata),
  };
}

function htmlPage(
  source: string,
  url: string,
  encoding: string,
  html: string | null,
  latestDay: string,
): WholePage {
  const document = readPage(source);
  const statements = readPageMetadata(document, url);
  const facts = pageFactsOf(statements, latestDay);
  const flags = {
    satire: isSatire(statements),
    sponsored: isSponsored(statements),
    fact_check: isFactCheck(statements),
  };
  const hints = readHints(document);
  const article = textOfPage(document, statements, facts);
  return {
    text: article.text,
    html,
    metadata: {
      ...facts,
      images: leadingPictures(statements, article.pictures),
      flags: { ...flags, paywalled: isPaywalled(statements, hints, article.text) },
      ai_disclosures: aiDisclosures(statements),
      claim_reviews: claimReviews(statements.things),
      text_source: article.source,
      encoding,
    },
    obstacle: pageObstacle(hints, article.text, statements.article !== undefined) ?? null,
  };
}

/** Text of a page below which that of its structured data, when that is longer, is its main text. In units. */
const NEXT_TO_NOTHING = 300;

function textOfPage(page: Page, statements: Statements, facts: PageFacts): MainText {
  const article = mainText(page, pageStatements(statements, facts), noticeRanges(page));
  if (article.text.length >= NEXT_TO_NOTHING) return article;
  const stated = longestText(statements.things);
  return stated.length > 2 * article.text.length ? { ...article, text: stated, source: 'article' } : article;
}

/** What the choice of lines looks at beside the page itself. */
export function pageStatements(
  { things, meta, url }: Statements,
  { title, author }: Pick<PageFacts, 'title' | 'author'>,
): PageStatements {
  const types = [...things.flatMap(typesOf), meta.get('og:type') ?? ''].map((type) => type.toLowerCase());
  return { title, author, url, types: new Set(types), stated: plainWords(jsonLdTexts(things)) };
}

function plainPage(source: string, encoding: string, html: string | null): WholePage {
  const text = source.replace(/\r\n?/g, '\n').trim();
  return {
    text,
    html,
    metadata: {
      ...NO_FACTS,
      images: [],
      flags: NO_FLAGS,
      ai_disclosures: [],
      claim_reviews: [],
      text_source: text === '' ? 'none' : 'plain_text',
      encoding,
    },
    obstacle: null,
  };
}
