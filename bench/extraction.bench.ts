// CPU of extraction for each page, beside Readability and Defuddle on linkedom, in turn on the same pages.
// Pages: <data folder>/extraction (default ../shared/data); --pages=N of each set (default 40).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { decodePage } from '../src/services/web/extract/charset.ts';
import { extractPage, type PageBytes } from '../src/services/web/extract/extract.ts';
import { DATA_FOLDER } from '../training/rows.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: DATA_FOLDER },
    pages: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '5' },
  },
  allowPositionals: true,
});

type Extract = (page: PageBytes) => unknown;

const documentOf = ({ bytes, contentType }: PageBytes) => {
  const { text } = decodePage(bytes, contentType);
  const html = /<html[\s>]/i.test(text) ? text : `<html><body>${text}</body></html>`;
  return (parseHTML(html) as unknown as { document: ConstructorParameters<typeof Readability>[0] }).document;
};
const subjects = new Map<string, Extract>([
  ['limpede', (page) => extractPage(page).text],
  ['Readability on linkedom', (page) => new Readability(documentOf(page)).parse()?.textContent],
]);
// Its package lets modules in alone, and only from where it is installed.
const defuddle = join(import.meta.dirname, 'extraction', 'node_modules', 'defuddle', 'dist', 'node.js');
if (existsSync(defuddle)) {
  const { Defuddle } = (await import(pathToFileURL(defuddle).href)) as {
    Defuddle: (document: unknown, url: string, options: object) => Promise<{ content: string }>;
  };
  subjects.set('Defuddle on linkedom', (page) => Defuddle(documentOf(page), page.url, { useAsync: false }));
} else console.log('Defuddle is not installed (npm install in bench/extraction).');

function pagesOf(set: string): PageBytes[] {
  const folder = join(values.data, 'extraction', set);
  if (!existsSync(folder)) return [];
  const rows = readFileSync(join(folder, 'index.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const step = Math.max(1, Math.floor(rows.length / Number(values.pages)));
  return rows
    .filter((_, at) => at % step === 0)
    .map((line) => JSON.parse(line) as { file: string; url: string; charset: string | null })
    .map(({ file, url, charset }) => ({
      bytes: gunzipSync(readFileSync(join(folder, 'pages', file))),
      contentType: charset === null ? 'text/html' : `text/html; charset=${charset}`,
      mediaType: 'text/html',
      url,
    }));
}

/** User and system milliseconds of one subject over all pages. */
async function cost(extract: Extract, pages: readonly PageBytes[]): Promise<number> {
  const before = process.cpuUsage();
  for (const page of pages) await extract(page);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / pages.length;
}

for (const set of ['aeb', 'wcxb-dev']) {
  const pages = pagesOf(set);
  if (pages.length === 0) {
    console.log(`No pages of ${set} in ${values.data}.`);
    continue;
  }
  const costs = new Map([...subjects.keys()].map((name) => [name, [] as number[]]));
  for (const extract of subjects.values()) await cost(extract, pages); // Warm.
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [name, extract] of subjects) costs.get(name)?.push(await cost(extract, pages));
  const median = (name: string) =>
    [...(costs.get(name) ?? [])].sort((a, b) => a - b)[Math.floor(Number(values.rounds) / 2)] ?? 0;
  const base = median('Readability on linkedom');
  console.log(`\n${set}, ${pages.length} pages, median of ${values.rounds} rounds in turn\n`);
  console.log('| subject | CPU ms a page | of Readability |\n|---|--:|--:|');
  for (const name of subjects.keys())
    console.log(`| ${name} | ${median(name).toFixed(1)} | ${(median(name) / base).toFixed(2)} |`);
}
