import { type ExtractedPage, extractDocument, extractPage, type PageBytes } from './extract.ts';

/** Extracts one page or document in a thread of its own. */
export default function extract(page: PageBytes): ExtractedPage | Promise<ExtractedPage> {
  return page.mediaType === 'application/pdf' ? extractDocument(page) : extractPage(page);
}
