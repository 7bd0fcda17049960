import { extractPage } from '../../../../src/services/web/extract/extract.ts';

/** One sentence of a story. */
export const sentence =
  'Consiliul local a votat miercuri bugetul pentru anul viitor, după o dezbatere care a durat mai mult de patru ore. ';
/** A story of some length. */
export const body = `<p>${sentence.repeat(3)}</p>`.repeat(5);
/** What is read from a page, on the last day of January 2026. */
export const extract = (
  html: string,
  url = 'https://www.ziarul.example/local/bugetul-votat',
  mediaType = 'text/html',
) =>
  extractPage(
    { bytes: Buffer.from(html), contentType: 'text/html; charset=utf-8', mediaType, url },
    '2026-01-31',
  );
/** A page of these parts. */
export const page = (head: string, rest = body) =>
  `<!doctype html><html><head>${head}</head><body>${rest}</body></html>`;
/** Linked data as an element of the head. */
export const jsonLd = (data: unknown) =>
  `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
