/**
 * Compiles the published lists and ratings of web sites into the sorted tables of data/domains.
 * Usage: tsx training/domain-lists.ts [data folder, default ../shared/data]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';

type Row = Record<string, string>;

const data = join(process.argv[2] ?? '../shared/data', 'domains');

/** Rows of a CSV file (RFC 4180) as records by column name. */
function readTable(name: string): Row[] {
  const [header = [], ...lines] = parseCsv(readFileSync(join(data, name), 'utf8'));
  return lines.map((cells) =>
    Object.fromEntries(header.map((column, index) => [column, cells[index] ?? ''])),
  );
}

function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line === '') continue;
    const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)];
    rows.push(cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? ''));
  }
  return rows;
}

/** Writes one table: a domain a line with its tab-separated cells, in byte order, each domain once. */
function writeRows(file: string, rows: readonly (readonly string[])[]): void {
  const byDomain = new Map<string, string>();
  for (const [domain = '', ...cells] of rows) {
    const name = domain.trim().toLowerCase();
    if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(name) || byDomain.has(name)) continue;
    byDomain.set(name, [name, ...cells].join('\t'));
  }
  const lines = [...byDomain].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  writeFileSync(packageFile('data', 'domains', file), `${lines.join('\n')}\n`);
  console.log(`${file}\t${lines.length}`);
}

/** Both parts of a table: what others measure on is shipped too, but nothing is learnt from it. */
const readWhole = (name: string) => [...readTable(name), ...readTable(join('third', name))];

function writeRatings(): void {
  const rows = readWhole('reliability.csv');
  const rated = rows.filter((row) => row.mbfc_reporting !== '' || row.mbfc_category === 'satire');
  writeRows(
    'mbfc.tsv',
    rated.map((row) => [
      row.domain ?? '',
      row.mbfc_category === 'satire' ? 'satire' : (row.mbfc_reporting ?? ''),
      row.mbfc_credibility ?? '',
      row.mbfc_category ?? '',
    ]),
  );
  // NewsGuard sells its ratings, so labels that come from there stay out whatever the repository's licence says.
  const labelled = rows.filter((row) => row.idiap_label !== '' && row.label_from !== 'idiap:newsguard');
  writeRows(
    'idiap.tsv',
    labelled.map((row) => [row.domain ?? '', row.idiap_label ?? '']),
  );
  // A name of the part that others measure on would give its rating away.
  const wellKnown = readTable('reliability.csv').filter(
    (row) => row.traffic === 'high-traffic' && row.label === 'high',
  );
  writeRows(
    'well-known.tsv',
    wellKnown.map((row) => [row.domain ?? '']),
  );
  const graph = readWhole('graph-reliability.csv');
  writeRows(
    'idiap-graph.tsv',
    graph.map((row) => [row.domain ?? '', Number(row.p_reliability).toFixed(3)]),
  );
}

function platformHosts(): Set<string> {
  const lines = readFileSync(packageFile('data', 'domains', 'platforms.tsv'), 'utf8').split('\n');
  return new Set(lines.map((line) => line.split('\t')[0] ?? ''));
}

/** File of each source of concern that we keep; EuVsDisinfo and suspicions without a named basis are no evidence. */
const concerns: Record<string, string> = {
  'Wikipedia Fake News': 'wikipedia-fake-news.tsv',
  'Viginum (Portal Kombat)': 'viginum-portal-kombat.tsv',
  'Pink Slime': 'pink-slime.tsv',
  'RT Mirror/Repost': 'rt-mirrors.tsv',
  'Wikidata All News': 'wikidata-news.tsv',
};

function writeLists(): void {
  // A platform is not an offender because one of its users was.
  const platforms = platformHosts();
  const ours = (domain = '') => !platforms.has(domain);
  const spelling: Record<string, string> = {
    'fake news': 'fake',
    unrealiable: 'unreliable',
    satirical: 'satire',
  };
  writeRows(
    'opensources.tsv',
    readTable('lists/opensources.csv')
      .filter((row) => ours(row.domain))
      .map((row) => [
        row.domain ?? '',
        ...[row.type, row.type2, row.type3]
          .filter((type) => type !== '')
          .map((type = '') => spelling[type] ?? type),
      ]),
  );
  const hosts = readFileSync(join(data, 'lists/fakenews-hosts.txt'), 'utf8').split(/\r?\n/);
  writeRows(
    'fakenews-hosts.tsv',
    hosts.filter(ours).map((host) => [host]),
  );
  const sites = readTable('lists/sites-of-concern.csv');
  for (const [source, file] of Object.entries(concerns)) {
    const named = sites.filter((row) => row.source === source && ours(row.domain));
    writeRows(
      file,
      named.map((row) => [row.domain ?? '']),
    );
  }
  writeRows(
    'romania.tsv',
    readTable('lists/romania.csv').map((row) => [
      row.domain ?? '',
      row.category ?? '',
      row.date ?? '',
      row.reference ?? '',
      row.basis ?? '',
    ]),
  );
  const shorteners = readFileSync(join(data, 'lists/url-shorteners.txt'), 'utf8').split(/\r?\n/);
  writeRows(
    'url-shorteners.tsv',
    shorteners.filter((line) => !line.startsWith('#')).map((host) => [host]),
  );
}

writeRatings();
writeLists();
