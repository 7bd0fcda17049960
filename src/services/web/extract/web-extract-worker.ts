import { type ExtractedPage, extractPage, type PageBytes } from './extract.ts';

/** Extracts one page in a thread of its own. */
export default function extract(page: PageBytes): ExtractedPage {
  return extractPage(page);
}
