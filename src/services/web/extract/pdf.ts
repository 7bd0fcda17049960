import type { PageFacts } from './metadata.ts';

/** What a document says of itself. */
type DocumentFacts = Pick<PageFacts, 'title' | 'author' | 'published_at' | 'published_at_source'>;

/** A document as text. */
export interface DocumentText {
  readonly text: string;
  readonly facts: DocumentFacts;
}

/** Pages that are read; what is beyond them is a book or a data dump. */
const MOST_PAGES = 500;

/** Lines end where sentences do; others go on. */
const LINE_END = /[.!?:;…”"»)]$/;

/** Joins the lines of a paragraph; a word that was divided at the end of a line is put together again. */
function paragraphsOf(lines: readonly string[]): string[] {
  const paragraphs: string[] = [];
  let current = '';
  for (const line of lines) {
    const isDivided = /\p{Ll}-$/u.test(current) && /^\p{Ll}/u.test(line);
    current = isDivided ? current.slice(0, -1) + line : `${current} ${line}`.trim();
    if (line === '' || LINE_END.test(line)) {
      if (current !== '') paragraphs.push(current);
      current = '';
    }
  }
  return current === '' ? paragraphs : [...paragraphs, current];
}

/** D:20240305103000+02'00' as an ISO date and time (PDF 32000 section 7.9.4); null for anything else. */
export function pdfDate(text: unknown): string | null {
  const parts =
    typeof text === 'string'
      ? /^D:(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?(?:(Z)|([+-]\d{2})'?(\d{2})?)?)?/.exec(text)
      : null;
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second = '00', utc, zone, zoneMinutes = '00'] = parts;
  const date = `${year}-${month}-${day}`;
  if (Number.isNaN(Date.parse(date))) return null;
  if (hour === undefined) return date;
  const offset = utc ?? (zone === undefined ? '' : `${zone}:${zoneMinutes}`);
  const moment = `${date}T${hour}:${minute}:${second}${offset}`;
  return Number.isNaN(Date.parse(moment)) ? date : moment;
}

const named = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);

function factsOf(info: Readonly<Record<string, unknown>>): DocumentFacts {
  const published = pdfDate(info.CreationDate);
  return {
    title: named(info.Title),
    author: named(info.Author),
    published_at: published,
    published_at_source: published === null ? null : 'meta',
  };
}

/** Text and facts of a PDF, up to a length; rejects for one that is damaged or locked. */
export async function readPdf(
  bytes: Uint8Array,
  longestText = Number.POSITIVE_INFINITY,
): Promise<DocumentText> {
  const { getDocumentProxy } = await import('unpdf');
  // It takes the bytes for itself: they are copied, so that the caller's stay.
  const document = await getDocumentProxy(new Uint8Array(bytes), { isEvalSupported: false, verbosity: 0 });
  try {
    const { info } = await document.getMetadata();
    const texts: string[] = [];
    let length = 0;
    for (
      let number = 1;
      number <= Math.min(document.numPages, MOST_PAGES) && length < longestText;
      number++
    ) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const source = items
        .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
        .join('');
      const text = paragraphsOf(source.split('\n').map((line) => line.trim())).join('\n');
      length += text.length;
      if (text !== '') texts.push(text);
      page.cleanup();
    }
    return { text: texts.join('\n'), facts: factsOf(info as Record<string, unknown>) };
  } finally {
    await document.destroy();
  }
}
