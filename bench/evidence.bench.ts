// Evidence: gathering over ten loopback sources beside bare fetches of the same pages, through the verification cache when it is known, the rate
// of an import, and search in a large index.
// --passages=FILE: texts, one a line, for the import (none are shipped). --rows=N: passages with random vectors beside them.
// LIMPEDE_BENCH_POSTGRES: a server on which databases may be made; without it the embedded database is measured, without --rows.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { Registry } from 'prom-client';
import { request } from 'undici';
import { createClient } from '../src/foundation/client.ts';
import { type Database, openDatabase } from '../src/foundation/database/database.ts';
import { createLog } from '../src/foundation/log.ts';
import type { Platform } from '../src/foundation/platform.ts';
import { buildService } from '../src/foundation/service.ts';
import { parseSettings } from '../src/foundation/settings.ts';
import { brainService } from '../src/services/brain/service.ts';
import { brainSettings } from '../src/services/brain/settings.ts';
import { embeddings } from '../src/services/embeddings/contract.ts';
import { embeddingsService } from '../src/services/embeddings/service.ts';
import { embeddingsSettings } from '../src/services/embeddings/settings.ts';
import type { DocumentEntry } from '../src/services/web/contract/evidence-index.ts';
import { createTextEncoder, encodePending } from '../src/services/web/evidence-index/encode.ts';
import { openEvidenceIndex } from '../src/services/web/evidence-index/evidence-index.ts';
import type { EvidenceTables } from '../src/services/web/evidence-index/tables.ts';
import { webService } from '../src/services/web/service.ts';
import { webSettings } from '../src/services/web/settings.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';

const option = (name: string) =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
const SOURCES = 10;
/** What a page takes on the way: loopback alone would only measure our own processor. */
const PAGE_DELAY_MS = 100;
const ROUNDS = 15;
const SEARCHES = 200;
const CACHED_ASKS = 300;
const BATCH = 100;
const ROWS_PER_INSERT = 2000;

const log = createLog({ level: 'error', name: 'bench' });
const home = mkdtempSync(join(tmpdir(), 'limpede-bench-'));
const { signal } = new AbortController();
const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(share * values.length))
  ] ?? 0;
const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0);
const row = (name: string, ...values: (string | number)[]) =>
  console.log(`| ${name} | ${values.join(' | ')} |`);

/** A database of its own for this run. */
async function freshDatabase(): Promise<{ database: Database; remove(): Promise<void> }> {
  const server = process.env.LIMPEDE_BENCH_POSTGRES;
  if (server === undefined)
    return { database: await openDatabase({ home, log }), remove: async () => undefined };
  const name = `limpede_bench_${randomUUID().replaceAll('-', '')}`;
  const run = async (text: string) => {
    const client = new Client({ connectionString: server });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  await run(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = await openDatabase({ url: url.toString(), home, log, statementTimeoutMs: 600_000 });
  return { database, remove: () => run(`drop database ${name} with (force)`) };
}

const platformOf = (database: Database): Platform => ({
  home,
  version: 'bench',
  publicUrl: 'http://127.0.0.1:8080',
  log,
  metrics: new Registry(),
  database: async () => database,
});

async function startEmbeddings(database: Database) {
  const built = await buildService(
    embeddingsService,
    parseSettings(embeddingsSettings, {}),
    platformOf(database),
  );
  await built.app.listen({ host: '127.0.0.1', port: 0 });
  return { built, url: `http://127.0.0.1:${(built.app.server.address() as AddressInfo).port}` };
}

/** Ten articles and a search server that finds them. */
async function startSites() {
  const words =
    'podul orașului a fost închis pentru reparații de primărie iar șoferii ocolesc prin centura veche'.split(
      ' ',
    );
  const article = (number: number) =>
    Array.from(
      { length: 30 },
      (_, line) =>
        `<p>Rândul ${line} al paginii ${number}: ${Array.from({ length: 40 }, (_, at) => words[(at * (number + 3) + line) % words.length]).join(' ')}.</p>`,
    ).join('');
  const server = createServer((incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://x.invalid');
    const { port } = server.address() as AddressInfo;
    if (pathname === '/search') {
      const results = Array.from({ length: SOURCES }, (_, number) => ({
        url: `http://127.0.0.1:${port}/${number}`,
        title: 'x',
        content: '',
      }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
      return;
    }
    const page = `<!doctype html><html lang="ro"><title>P</title><body><article>${article(Number(pathname.slice(1)))}</article></body></html>`;
    setTimeout(
      () => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
      PAGE_DELAY_MS,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function measureGather(database: Database, embeddingsUrl: string): Promise<void> {
  const { server, origin } = await startSites();
  const settings = parseSettings(webSettings, {
    WEB_PROVIDERS: 'searxng',
    WEB_SEARXNG_URL: origin,
    WEB_ALLOWED_PRIVATE_HOSTS: new URL(origin).host,
    WEB_HOST_RATE_RPS: '10000',
    WEB_HOST_RATE_BURST: '10000',
    WEB_RATE_LIMIT_RPS: '10000',
    EMBEDDINGS_URL: embeddingsUrl,
    DOMAIN_CHECK_URL: 'none',
    WEB_STARTER_SET: 'false',
  });
  const built = await buildService(webService, settings, platformOf(database));
  const gather = async (parallel: number) => {
    const startedAt = performance.now();
    const payload = {
      claim: 'Podul orașului a fost închis pentru reparații.',
      parallel_fetches: parallel,
      dedupe: false,
    };
    const reply = await built.app.inject({ method: 'POST', url: '/v1/gather', payload });
    const body = reply.json() as { total_pages_fetched: number };
    if (body.total_pages_fetched !== SOURCES)
      throw new Error(`gathered ${JSON.stringify(body).slice(0, 300)}`);
    return performance.now() - startedAt;
  };
  const bare = async () => {
    const startedAt = performance.now();
    for (let number = 0; number < SOURCES; number++) await (await request(`${origin}/${number}`)).body.text();
    return performance.now() - startedAt;
  };
  await gather(10);
  const times: Record<'bare' | 'five' | 'ten', number[]> = { bare: [], five: [], ten: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times.bare.push(await bare());
    times.five.push(await gather(5));
    times.ten.push(await gather(10));
  }
  console.log(`\n${SOURCES} pages that take ${PAGE_DELAY_MS} ms each, ${ROUNDS} rounds taken in turn\n`);
  console.log('| subject | p50 ms | p95 ms | of bare (p50) |\n|---|--:|--:|--:|');
  const base = quantile(times.bare, 0.5);
  const tell = (name: string, all: number[]) =>
    row(name, ms(quantile(all, 0.5)), ms(quantile(all, 0.95)), (quantile(all, 0.5) / base).toFixed(2));
  tell('bare fetches, one after another', times.bare);
  tell('gather, 5 at once (the default)', times.five);
  tell('gather, 10 at once', times.ten);
  await measureCached(database, built, embeddingsUrl);
  await built.close();
  server.closeAllConnections();
  server.close();
}

/** Claims through the verification cache: once before they are known, then often. */
async function measureCached(
  database: Database,
  web: { app: FastifyInstance },
  embeddingsUrl: string,
): Promise<void> {
  await web.app.listen({ host: '127.0.0.1', port: 0 });
  const settings = parseSettings(brainSettings, {
    WEB_URL: `http://127.0.0.1:${(web.app.server.address() as AddressInfo).port}`,
    EMBEDDINGS_URL: embeddingsUrl,
    BRAIN_RECHECK_SECONDS: '0',
  });
  const brain = await buildService(brainService, settings, platformOf(database));
  const ask = async (claim: string, expected: string) => {
    const startedAt = performance.now();
    const reply = await brain.app.inject({ method: 'POST', url: '/v1/gather', payload: { claim } });
    const took = performance.now() - startedAt;
    const { brain_meta: meta } = reply.json() as { brain_meta?: { cache_status: string } };
    if (meta?.cache_status !== expected) throw new Error(`the cache answered ${reply.body.slice(0, 300)}`);
    return took;
  };
  const places = ['orașului', 'satului', 'comunei', 'insulei', 'județului'];
  const misses: number[] = [];
  for (const place of places)
    misses.push(await ask(`Podul ${place} a fost închis pentru reparații.`, 'miss'));
  const known: number[] = [];
  for (let round = 0; round < CACHED_ASKS; round++)
    known.push(await ask(`Podul ${places[round % places.length]} a fost închis pentru reparații.`, 'hit'));
  console.log(`\nThe same gathered through the verification cache, ${CACHED_ASKS} asks one after another\n`);
  console.log('| subject | p50 ms | p95 ms |\n|---|--:|--:|');
  for (const [name, times] of Object.entries({ 'not known yet': misses, known }))
    row(name, ms(quantile(times, 0.5)), ms(quantile(times, 0.95)));
  await brain.close();
}

/** Rows with random vectors, whose texts repeat those that are there. */
async function addRandomRows(tables: Kysely<EvidenceTables>, rows: number): Promise<void> {
  const before = await tables.selectFrom('evidence_state').selectAll().executeTakeFirstOrThrow();
  const { rows: ids } = await sql<{ id: number }>`select id from evidence_passage order by id`.execute(
    tables,
  );
  for (let from = 0; from < rows; from += ROWS_PER_INSERT) {
    const part = Array.from(
      { length: Math.min(ROWS_PER_INSERT, rows - from) },
      (_, at) => ids[(from + at) % ids.length]?.id ?? 0,
    );
    const vectors = part.map(() => randomBytes(DIMENSIONS));
    await sql`
      insert into evidence_passage (document_id, claim_id, text, language, words, terms, vector, vector_revision)
      select p.document_id, p.claim_id, p.text, p.language, p.words, p.terms, v.vector, ${before.revision + 1}
      from unnest(${part}::bigint[], ${vectors}::bytea[]) v (id, vector) join evidence_passage p on p.id = v.id`.execute(
      tables,
    );
  }
  const share = rows / before.passages;
  await sql`update evidence_state set passages = passages + ${rows}, words = words + ${Math.round(before.words * share)}, revision = revision + 1`.execute(
    tables,
  );
  await sql`update evidence_term set passages = passages + round(passages * ${share}::float8)`.execute(
    tables,
  );
  await sql`vacuum analyze evidence_passage`.execute(tables);
}

/** How long searches in an index take. */
async function measureSearches(
  parts: Parameters<typeof openEvidenceIndex>[0],
  texts: readonly string[],
  name: string,
): Promise<void> {
  // Opened anew, so that the signatures are read into an empty memory.
  const fresh = await openEvidenceIndex(parts);
  const filling = performance.now();
  await fresh.search(texts[0] ?? '', 10, signal);
  const filled = performance.now() - filling;
  const times: number[] = [];
  for (let round = 0; round < SEARCHES; round++) {
    const text = texts[(round * 37) % texts.length] ?? '';
    const at = performance.now();
    await fresh.search(text.split(' ').slice(0, 14).join(' '), 10, signal);
    times.push(performance.now() - at);
  }
  const { passages: count, bytes } = await fresh.statistics();
  row(
    name,
    count,
    ms(quantile(times, 0.5)),
    ms(quantile(times, 0.95)),
    (bytes / 1_048_576).toFixed(0),
    (bytes / count).toFixed(0),
    (filled / 1000).toFixed(1),
  );
}

async function measureIndex(
  database: Database,
  embeddingsUrl: string,
  texts: readonly string[],
): Promise<void> {
  const client = createClient(embeddings, { name: 'embeddings', url: embeddingsUrl, timeoutMs: 60_000 });
  const encoder = createTextEncoder(client);
  const parts = { database, encoder, languageOf: () => 'en', log };
  const index = await openEvidenceIndex(parts);
  const tables = database.kysely<EvidenceTables>();
  const documents = texts.map(
    (text, number): DocumentEntry => ({
      kind: 'document',
      key: String(number),
      url: null,
      title: text.split(' ').slice(0, 4).join(' '),
      publisher: null,
      language: 'en',
      published_at: null,
      text,
    }),
  );
  const startedAt = performance.now();
  for (let from = 0; from < documents.length; from += BATCH)
    await index.store({ operator: 'bench', name: 'passages' }, documents.slice(from, from + BATCH));
  const storedAt = performance.now();
  while ((await encodePending(tables, encoder, signal)) === 'more');
  const encodedAt = performance.now();
  const { passages } = await index.statistics();
  console.log(
    `\nImport of ${documents.length} texts into ${database.engine}, ${passages} passages with their titles\n`,
  );
  console.log('| part | seconds | texts per second |\n|---|--:|--:|');
  const tell = (name: string, time: number) =>
    row(name, (time / 1000).toFixed(1), (documents.length / (time / 1000)).toFixed(0));
  tell('stored and found by words', storedAt - startedAt);
  tell('encoded as well (one thread)', encodedAt - startedAt);

  console.log(
    '\n| index | passages | search p50 ms | search p95 ms | size MiB | bytes a passage | into memory, seconds |\n|---|--:|--:|--:|--:|--:|--:|',
  );
  await measureSearches(parts, texts, 'the texts');
  const rows = Number(option('rows') ?? '0');
  if (rows > 0) {
    await addRandomRows(tables, rows);
    await measureSearches(parts, texts, `and ${rows} rows with random vectors and the same texts`);
  }
  await client.close();
}

const { database, remove } = await freshDatabase();
const { built, url } = await startEmbeddings(database);
try {
  await measureGather(database, url);
  const file = option('passages');
  if (file === undefined) console.log('\nImport and search are measured with --passages=FILE.');
  else await measureIndex(database, url, readFileSync(file, 'utf8').split('\n').filter(Boolean));
} finally {
  await built.close();
  await pause(100);
  await database.close();
  await remove();
  rmSync(home, { recursive: true, force: true });
}
