// A hundred documents ranked by the packaged ranker, over HTTP: the first time, and again for another query, when their
// passages are known. CPU is that of the whole process. --rounds=N.
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { buildService } from '../src/foundation/service.ts';
import { parseSettings } from '../src/foundation/settings.ts';
import { rerankingService } from '../src/services/reranking/service.ts';
import { rerankingSettings } from '../src/services/reranking/settings.ts';
import { randomStream } from '../training/rows.ts';

const DOCUMENTS = 100;
const rounds = Number(process.argv.find((word) => word.startsWith('--rounds='))?.slice(9) ?? '5');

const WORDS =
  'the mayor told reporters on Monday that a new bridge would open in spring officials at the health ministry said cases of measles had been confirmed prices of food and energy rose faster than wages for third month police are looking for witnesses of an accident court ruled contract had been awarded without public tender heavy rain is expected in north where villages were flooded'.split(
    ' ',
  );
/** Sentences of these words in a random order, about so many characters; another text for each number. */
function textOf(number: number, characters: number): string {
  const random = randomStream(number);
  let text = '';
  while (text.length < characters) {
    const sentence = Array.from({ length: 16 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
    text += `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. `;
  }
  return text.slice(0, characters);
}

const built = await buildService(rerankingService, parseSettings(rerankingSettings, {}), {
  home: '/nonexistent',
  version: '0.0.0',
  publicUrl: 'http://127.0.0.1',
  log: pino({ level: 'silent' }),
  metrics: new Registry(),
  database: () => Promise.reject(new Error('not needed')),
});
await built.app.listen({ host: '127.0.0.1', port: 0 });
const { port } = built.app.server.address() as AddressInfo;

async function rank(query: string, documents: readonly string[]) {
  const before = process.cpuUsage();
  const start = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/v1/rerank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, documents }),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const { usage } = (await response.json()) as { usage: { total_tokens: number } };
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000, tokens: usage.total_tokens };
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((one, two) => one - two)[numbers.length >> 1] ?? 0;

await rank('warm', [textOf(9999, 1000)]);
console.log('Medians of the rounds.\n');
console.log(
  '| 100 documents of | tokens | CPU ms | ms | CPU ms per 1000 tokens | again for another query: CPU ms | ms |',
);
console.log('|---|--:|--:|--:|--:|--:|--:|');
for (const characters of [200, 1000, 5000]) {
  const first = [];
  const again = [];
  for (let round = 0; round < rounds; round++) {
    const documents = Array.from({ length: DOCUMENTS }, (_, index) =>
      textOf(1 + index + DOCUMENTS * (round + characters), characters),
    );
    first.push(await rank('When does the new bridge open?', documents));
    again.push(await rank('Were there cases of measles?', documents));
  }
  const cpu = median(first.map(({ cpuMs }) => cpuMs));
  const tokens = median(first.map((one) => one.tokens));
  const cells = [
    `${characters} characters`,
    tokens,
    cpu.toFixed(0),
    median(first.map(({ ms }) => ms)).toFixed(0),
    ((cpu / tokens) * 1000).toFixed(1),
    median(again.map(({ cpuMs }) => cpuMs)).toFixed(0),
    median(again.map(({ ms }) => ms)).toFixed(0),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
await built.close();
process.exit(0);
