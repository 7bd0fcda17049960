// What the extractors cost by kind of reading: metadata and signed history, text of a page against the tesseract of the system, names and sentiment,
// and pictures that are drawn. Processor time of the service, decoding processes apart. --rounds=N.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { freePort } from '../src/cli/platform-access.ts';
import { costOf, cpuOfCost, median, numberOption, row } from './media-parts.ts';
import { startPlatformProcess } from './platform.ts';

const rounds = numberOption('rounds', 5);
const PEER = '/usr/bin/tesseract';
const WORDS =
  'The ministry published a report about the roads of the county on Monday morning. Ana Popescu said in Cluj that nothing was decided yet. ';

/** A page of text as people photograph it: dark letters on a light ground. */
async function page(lines: number): Promise<Buffer> {
  const texts = Array.from(
    { length: lines },
    (_, line) =>
      `<text x="60" y="${90 + line * 44}" font-size="28" font-family="DejaVu Serif">${WORDS.slice(0, 70)} ${line}</text>`,
  ).join('');
  const height = 120 + lines * 44;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="${height}"><rect width="100%" height="100%" fill="#f4f1e8"/>${texts}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 88 }).toBuffer();
}

/** A photo-like picture of a megapixel. */
async function photo(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 };
  const plain = { width: 1154, height: 866, channels: 3 as const, background: '#808080' };
  return sharp({ create: { ...plain, noise } })
    .blur(1.5)
    .jpeg({ quality: 88 })
    .toBuffer();
}

const port = String(await freePort());
const service = await startPlatformProcess({
  LIMPEDE_SERVICES: 'extractors',
  EXTRACTORS_PORT: port,
  EXTRACTORS_OCR_TIMEOUT_MS: '600000',
  EXTRACTORS_DECODE_TIMEOUT_MS: '600000',
  EXTRACTORS_TEXT_TIMEOUT_MS: '600000',
});
const home = mkdtempSync(join(tmpdir(), 'limpede-bench-extractors-'));

async function ask(path: string, init: RequestInit): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/${path}`, { method: 'POST', ...init });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}
const form = (file: Buffer, fields: Record<string, string> = {}) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new Blob([new Uint8Array(file)]), 'file');
  return { body };
};
const json = (value: object) => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
});

/** Median processor time and wall time of a request, after one that opens what is needed. */
async function measured(path: string, init: () => RequestInit): Promise<{ cpu: number; wall: number }> {
  await ask(path, init());
  const runs: { cpu: number; wall: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const [cpu, started] = [service.cpuMs(), performance.now()];
    await ask(path, init());
    runs.push({ wall: performance.now() - started, cpu: service.cpuMs() - cpu });
  }
  return { cpu: median(runs.map((run) => run.cpu)), wall: median(runs.map((run) => run.wall)) };
}

/** The native program on the same page, one language and one look. */
async function peer(file: Buffer): Promise<number | undefined> {
  if (!existsSync(PEER)) return undefined;
  const path = join(home, 'page.jpg');
  writeFileSync(path, file);
  const env = { ...process.env, OMP_THREAD_LIMIT: '1' };
  const runs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { cost } = await costOf(async () =>
      execFileSync(PEER, [path, '-', '-l', 'eng'], { stdio: 'ignore', env }),
    );
    runs.push(cpuOfCost(cost));
  }
  return median(runs);
}

try {
  console.log(
    `Load of the machine ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}.\n`,
  );
  row('work', 'CPU ms', 'wall ms', 'CPU of the peer, ms', 'ratio');
  row('---', '--:', '--:', '--:', '--:');
  const print = (what: string, { cpu, wall }: { cpu: number; wall: number }, floor?: number) =>
    row(
      what,
      cpu.toFixed(0),
      wall.toFixed(0),
      floor?.toFixed(0) ?? '',
      floor === undefined ? '' : (cpu / floor).toFixed(1),
    );
  const [written, seen] = [await page(25), await photo()];
  print('metadata and signed history of a photo, 1 megapixel', await measured('metadata', () => form(seen)));
  print(
    'text of a page of 25 lines, in English',
    await measured('ocr', () => form(written, { languages: 'en' })),
    await peer(written),
  );
  print('the same, in English or Romanian', await measured('ocr', () => form(written)));
  print('text of a photo without any', await measured('ocr', () => form(seen)));
  print(
    'error level drawn, 1 megapixel',
    await measured('metadata', () => form(seen, { pictures: 'error_level' })),
  );
  const text = WORDS.repeat(40);
  print('names in 1000 words', await measured('ner', () => json({ text })));
  print('sentiment of 1000 words', await measured('sentiment', () => json({ text })));
  const { now, peak } = service.memory();
  console.log(`\nResident memory of the process: ${now.toFixed(0)} MiB, ${peak.toFixed(0)} MiB at most.`);
} finally {
  await service.stop();
  rmSync(home, { recursive: true });
}
