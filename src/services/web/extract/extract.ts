import { readArticle } from './article.ts';
import { decodePage } from './charset.ts';
import { parseDocument } from './dom.ts';
import {
  callsItselfArticle,
  isFactCheck,
  leadingPictures,
  type PageFacts,
  type Picture,
  readFacts,
  readStatements,
} from './metadata.ts';
import {
  aiDisclosures,
  type Disclosure,
  isPaywalled,
  isSatire,
  isSponsored,
  type Obstacle,
  obstacleOf,
  readHints,
  removeNotices,
} from './signs.ts';

/** A page as it came from its host. */
export interface PageBytes {
  bytes: Uint8Array;
  /** The header, with its charset. */
  contentType: string | undefined;
  /** By header and bytes. */
  mediaType: string;
  /** After redirects. */
  url: string;
  withHtml?: boolean | undefined;
}

/** What a page says of itself and what it shows. */
export interface PageMetadata extends PageFacts {
  images: Picture[];
  flags: { paywalled: boolean; satire: boolean; sponsored: boolean; fact_check: boolean };
  ai_disclosures: Disclosure[];
  text_source: 'article' | 'page' | 'plain_text' | 'none';
  encoding: string;
}

/** The extracted page; a pure function of its bytes, its address and the day. */
export interface ExtractedPage {
  text: string;
  /** Decoded source, when it was asked for. */
  html: string | null;
  metadata: PageMetadata;
  /** Set when this is not the page that was asked for. */
  obstacle: Obstacle | null;
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

/** Main text, metadata and signs of one page; throws TooComplexError for what no page needs to be. */
export function extractPage(page: PageBytes, latestDay: string = today()): ExtractedPage {
  const { text: source, encoding } = decodePage(page.bytes, page.contentType);
  const html = page.withHtml === true ? source : null;
  if (page.mediaType === 'text/plain') return plainPage(source, encoding, html);
  const document = parseDocument(source);
  const statements = readStatements(document, page.url);
  const facts = readFacts(statements, latestDay);
  const flags = {
    satire: isSatire(statements),
    sponsored: isSponsored(statements),
    fact_check: isFactCheck(statements),
  };
  const disclosures = aiDisclosures(statements);
  removeNotices(document);
  const hints = readHints(document);
  const article = readArticle(document, facts, callsItselfArticle(statements));
  return {
    text: article.text,
    html,
    metadata: {
      ...facts,
      images: leadingPictures(statements, article.pictures),
      flags: { ...flags, paywalled: isPaywalled(statements, hints, article.text) },
      ai_disclosures: disclosures,
      text_source: article.source,
      encoding,
    },
    obstacle: obstacleOf(hints, article.text) ?? null,
  };
}

function plainPage(source: string, encoding: string, html: string | null): ExtractedPage {
  const text = source.replace(/\r\n?/g, '\n').trim();
  return {
    text,
    html,
    metadata: {
      ...NO_FACTS,
      images: [],
      flags: NO_FLAGS,
      ai_disclosures: [],
      text_source: text === '' ? 'none' : 'plain_text',
      encoding,
    },
    obstacle: null,
  };
}
