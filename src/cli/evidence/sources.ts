import { createHash } from 'node:crypto';
import {
  createReadStream,
  type Dirent,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { DOMParser } from 'linkedom';
import { createGuardedHttp } from '../../foundation/http.ts';
import type { EvidenceEntry } from '../../services/web/contract/evidence-index.ts';
import { extractPage } from '../../services/web/extract/extract.ts';
import { UserError } from '../user-error.ts';
import { dateOnly, evidenceEntries } from './claim-review.ts';
import { jsonObjects } from './json-values.ts';

/** An entry, or something that could not be read, with the reason. */
export type ParsedEntry = { readonly entry: EvidenceEntry } | { readonly skipped: string };

/** Feeds are long; files of more than this are no texts. */
const LARGEST_FEED = 512 * 1024 * 1024;
const LARGEST_TEXT = 16 * 1024 * 1024;
const FETCH_MS = 120_000;
const LONGEST_DOCUMENT = 1_000_000;

/** Something to read, from a file or from the web. */
interface Content {
  /** Distinguishes its entries from those of other files: the path below the folder, or the address. */
  readonly name: string;
  readonly url: string | null;
  readonly extension: string;
  bytes(): Buffer;
  pieces(): AsyncIterable<string>;
}

const page = (url: string): ParsedEntry => ({ entry: { kind: 'page', key: url, url } });
const isAddress = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Digits of the hash that distinguishes sources of the same name. */
const PLACE_DIGITS = 8;
const PLACE = new RegExp(`@[0-9a-f]{${PLACE_DIGITS}}$`);

/**
 * The default name of an import: its address, or the last part of its path and a hash of the whole. Readers
 * see the name beside evidence, so that it does not say where things lie on the operator's machine.
 */
export function originOf(source: string): string {
  if (isAddress(source)) return source;
  const path = resolve(source);
  const place = existsSync(path) ? realpathSync(path) : path;
  const hash = createHash('sha256').update(place).digest('hex').slice(0, PLACE_DIGITS);
  return `${basename(place)}@${hash}`;
}

/** The name of an import without its place. */
export const plainName = (origin: string): string => origin.replace(PLACE, '');

/** The imports that a name refers to: by the whole name, by what was imported, else all of that plain name. */
export function matchOrigins(what: string, names: readonly string[]): string[] {
  const whole = [what, originOf(what)].find((name) => names.includes(name));
  if (whole !== undefined) return [whole];
  const path = isAddress(what) ? what : basename(resolve(what));
  if (names.includes(path)) return [path];
  return what.includes('/') ? [] : names.filter((name) => PLACE.test(name) && plainName(name) === what);
}

/** Identifies documents without an address by file, title and how many of that title came before. */
function keysWithin(file: string): (entry: EvidenceEntry) => EvidenceEntry {
  const counts = new Map<string, number>();
  return (entry) => {
    if (entry.kind !== 'document' || entry.url !== null) return entry;
    const count = (counts.get(entry.title) ?? 0) + 1;
    counts.set(entry.title, count);
    return { ...entry, key: `${file}: ${entry.title}${count > 1 ? ` (${count})` : ''}` };
  };
}

async function* readJson(content: Content): AsyncGenerator<ParsedEntry> {
  const keyed = keysWithin(content.name);
  let entryCount = 0;
  for await (const value of jsonObjects(content.pieces())) {
    const entries = evidenceEntries(value);
    if (entries.length === 0)
      yield { skipped: `${content.name}: an object that is neither a review nor a document` };
    for (const entry of entries) yield { entry: keyed(entry) };
    entryCount += entries.length;
  }
  if (entryCount === 0) yield { skipped: `${content.name}: nothing to import was found in it` };
}

/** The pages that an RSS or Atom feed links to. */
function* readFeed(content: Content): Generator<ParsedEntry> {
  const document = new DOMParser().parseFromString(content.bytes().toString('utf8'), 'text/xml');
  const links = [...document.querySelectorAll('item, entry')].flatMap((item) => {
    const links = [...item.querySelectorAll('link')];
    const link = links.find((one) => (one.getAttribute('rel') ?? 'alternate') === 'alternate');
    const address = (link?.getAttribute('href') ?? link?.textContent ?? '').trim();
    return isAddress(address) ? [address] : [];
  });
  if (links.length === 0) yield { skipped: `${content.name}: no links were found in the feed` };
  for (const link of new Set(links)) yield page(link);
}

/** In the place of the address of a file; a page without a publisher is named by its host. */
const NOWHERE = new URL('https://file.invalid/');

function readHtml(content: Content): ParsedEntry {
  const url = content.url ?? NOWHERE.href;
  const { text, metadata } = extractPage({
    bytes: content.bytes(),
    contentType: undefined,
    mediaType: 'text/html',
    url,
  });
  if (text === '') return { skipped: `${content.name}: no text was found in it` };
  const language = /^[a-z]{2}$/.test(metadata.language ?? '') ? metadata.language : null;
  const canonical = metadata.canonical_url;
  return {
    entry: {
      kind: 'document',
      key: content.name,
      url: canonical !== null && isAddress(canonical) && !canonical.startsWith(url) ? canonical : content.url,
      title: (metadata.title ?? basename(content.name)).slice(0, 1000),
      publisher: metadata.publisher === NOWHERE.hostname ? null : (metadata.publisher?.slice(0, 300) ?? null),
      language,
      published_at: dateOnly(metadata.published_at),
      text: text.slice(0, LONGEST_DOCUMENT),
    },
  };
}

/** A text, or a list of addresses when every line is one. */
function* readText(content: Content): Generator<ParsedEntry> {
  const text = content.bytes().toString('utf8').replace(/\r\n?/g, '\n').trim();
  const lines = text.split('\n').map((line) => line.trim());
  const addresses = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (text === '' || addresses.length === 0) yield { skipped: `${content.name}: there is no text in it` };
  else if (addresses.every(isAddress)) for (const address of new Set(addresses)) yield page(address);
  else {
    const title = /^#\s+(.+)$/m.exec(text)?.[1] ?? basename(content.name, content.extension);
    const document = { key: content.name, url: content.url, title: title.slice(0, 1000), publisher: null };
    const facts = { language: null, published_at: null, text: text.slice(0, LONGEST_DOCUMENT) };
    yield { entry: { kind: 'document', ...document, ...facts } };
  }
}

/** The kind of a content: by its name, else by how it begins. */
function kindOf(content: Content): 'json' | 'feed' | 'html' | 'text' | undefined {
  const { extension } = content;
  if (/^\.(json|jsonl|ndjson|jsonld)$/.test(extension)) return 'json';
  if (/^\.(html?|xhtml)$/.test(extension)) return 'html';
  if (/^\.(rss|atom)$/.test(extension)) return 'feed';
  // A letter may be cut in two where the head ends.
  const head = content
    .bytes()
    .subarray(0, 2048)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
    .trimStart();
  if (/^(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<(rss|feed|rdf:RDF)\b/i.test(head)) return 'feed';
  if (/^<(!doctype html|html)\b/i.test(head)) return 'html';
  if (/^[[{]/.test(head)) return 'json';
  return head.includes('\0') || head.includes('\ufffd') ? undefined : 'text';
}

async function* readContent(content: Content): AsyncGenerator<ParsedEntry> {
  const kind = kindOf(content);
  if (kind === undefined) yield { skipped: `${content.name}: this kind of file is not read` };
  else if (kind === 'json') yield* readJson(content);
  else if (kind === 'feed') yield* readFeed(content);
  else if (kind === 'html') yield readHtml(content);
  else yield* readText(content);
}

function fileContent(path: string, name: string): Content {
  const bytes = () => {
    if (statSync(path).size > LARGEST_TEXT) throw new UserError(`${name} is larger than 16 MiB`);
    return readFileSync(path);
  };
  return {
    name,
    url: null,
    extension: extname(path).toLowerCase(),
    bytes,
    pieces: () => createReadStream(path, { encoding: 'utf8' }),
  };
}

/** Files below a folder in the order of their names; hidden ones and links are left out. */
function filesBelow(folder: string): string[] {
  const isVisible = (entry: Dirent) => !entry.name.startsWith('.') && !entry.isSymbolicLink();
  return readdirSync(folder, { withFileTypes: true })
    .filter(isVisible)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
    });
}

async function* readAddress(
  url: string,
  allowedPrivateHosts: readonly string[],
): AsyncGenerator<ParsedEntry> {
  const http = createGuardedHttp({
    allowedPrivateHosts,
    userAgent: 'Limpede (evidence import)',
    limits: () => ({ wireBytes: LARGEST_FEED, decodedBytes: LARGEST_FEED, totalMs: FETCH_MS }),
  });
  try {
    const answer = await http.get(url, { timeoutMs: FETCH_MS });
    if (!answer.ok) throw new UserError(`${url}: ${answer.message}`);
    if (answer.status !== 200) throw new UserError(`${url} answered with status ${answer.status}`);
    const bytes = Buffer.from(answer.body);
    const pieces = () => Readable.from(inPieces(bytes.toString('utf8')));
    const extension = extname(new URL(url).pathname).toLowerCase();
    const content: Content = { name: url, url, extension, bytes: () => bytes, pieces };
    // A page is read by the service, like every other.
    if (kindOf(content) === 'html') yield page(url);
    else yield* readContent(content);
  } finally {
    await http.close();
  }
}

const PIECE = 65_536;

function* inPieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += PIECE) yield text.slice(from, from + PIECE);
}

/** Everything in a file, a folder, or at an address. */
export async function* readSource(
  source: string,
  allowedPrivateHosts: readonly string[],
): AsyncGenerator<ParsedEntry> {
  if (isAddress(source)) {
    yield* readAddress(source, allowedPrivateHosts);
    return;
  }
  const path = resolve(source);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UserError(`${source} is neither a file, a folder nor an address`);
  if (!stat.isDirectory()) {
    yield* readContent(fileContent(path, basename(path)));
    return;
  }
  for (const file of filesBelow(path)) yield* readContent(fileContent(file, file.slice(path.length + 1)));
}
