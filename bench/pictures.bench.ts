// Analyses of pictures: the detectors one by one for each megapixel, whole analyses of a stored picture through the gateway against the
// decoding of the same picture alone, quick looks, four at once with the memory that they take, and pictures through the queue, and pages
// with their leading pictures. --sizes=0.8,2 (megapixels), --queued=N, --rounds=N, --only=pages.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import sharp from 'sharp';
import { packageFile } from '../src/foundation/files.ts';
import { brightnessSamples } from '../src/media/image/decode-frame.ts';
import type { DecodedPicture } from '../src/media/image/decode-reply.ts';
import { brightnessSteps, readJpegStructure } from '../src/media/image/jpeg-structure.ts';
import { hashPicture } from '../src/media/image/pdq.ts';
import type { Plane } from '../src/media/image/raster.ts';
import { findCopyMove } from '../src/services/forensic/detectors/copy-move.ts';
import { findDoubleQuantisation } from '../src/services/forensic/detectors/double-quantisation.ts';
import { findFaintCopy } from '../src/services/forensic/detectors/faint-copies.ts';
import { findJpegGrid } from '../src/services/forensic/detectors/jpeg-grid.ts';
import { noiseRatios } from '../src/services/forensic/detectors/noise.ts';
import { errorLevels, ghostQualities } from '../src/services/forensic/detectors/recompression.ts';
import { runDetectors } from '../src/services/forensic/examination.ts';
import { type BenchedPlatform, startPlatformProcess } from './platform.ts';

const option = (name: string, fallback: string) =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;
const sizes = option('sizes', '0.8,2').split(',').map(Number);
const queued = Number(option('queued', '100'));
const rounds = Number(option('rounds', '3'));
const isWhole = option('only', '') !== 'pages';
/** How long a queued picture is waited for, in milliseconds. */
const PATIENCE_MS = 3_600_000;

const median = (values: readonly number[]) =>
  [...values].sort((one, two) => one - two)[values.length >> 1] ?? 0;
const print = (...cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);
const whole = (value: number) => value.toFixed(0);

/** A picture of so many megapixels with detail at every size; the seed makes each a file of its own. */
async function pictureOf(megapixels: number, seed: number): Promise<Buffer> {
  const width = Math.round(Math.sqrt((megapixels * 1e6 * 4) / 3));
  const height = Math.round((width * 3) / 4);
  const rgb = Buffer.alloc(3 * width * height);
  let state = seed + 1;
  for (let at = 0; at < rgb.length; at += 3) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const [x, y] = [(at / 3) % width, Math.floor(at / 3 / width)];
    const wave = 128 + 60 * Math.sin(x / 37 + seed) + 50 * Math.cos(y / 53) + (state >>> 28);
    rgb[at] = wave;
    rgb[at + 1] = wave * 0.9;
    rgb[at + 2] = 255 - wave;
  }
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .toBuffer();
}

async function decoded(file: Buffer): Promise<DecodedPicture> {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const small = await sharp(file)
    .resize(512, 512, { fit: 'inside' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return {
    format: 'jpeg',
    width: info.width,
    height: info.height,
    pages: 1,
    orientation: 1,
    hasAlpha: false,
    thumbnail: { width: small.info.width, height: small.info.height },
    thumbnailRgb: small.data,
    ...brightnessSamples(data, info.width, info.height),
  };
}

/** CPU of this process for some work, in milliseconds. */
async function cpuFor(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function detectors(): Promise<void> {
  console.log(
    '\nCPU of the whole examination in this process, without drawing; the floor is the decoding of the same file.\n',
  );
  print(
    'megapixels',
    'decoding, CPU ms',
    'examination, CPU ms',
    'quick, CPU ms',
    'examination / decoding',
    'CPU ms per megapixel',
  );
  print('---', '---', '---', '---', '---', '---');
  for (const size of sizes) {
    const file = await pictureOf(size, 1);
    if (readJpegStructure(file) === undefined) throw new Error('the picture is no JPEG');
    const picture = await decoded(file);
    const floor: number[] = [];
    const full: number[] = [];
    const quick: number[] = [];
    for (let round = 0; round < rounds; round++) {
      floor.push(await cpuFor(() => decoded(file)));
      full.push(await cpuFor(() => runDetectors({ file, picture, depth: 'full' })));
      quick.push(await cpuFor(() => runDetectors({ file, picture, depth: 'quick' })));
    }
    const [base, cost] = [median(floor), median(full)];
    print(size, whole(base), whole(cost), whole(median(quick)), (cost / base).toFixed(1), whole(cost / size));
  }
}

/** Each detector by itself, as the examination calls it; the grid is only looked for in files without loss. */
function singles(file: Buffer, picture: DecodedPicture): Readonly<Record<string, () => unknown>> {
  const { width, height, brightness, clipped, thumbnail, thumbnailRgb } = picture;
  const plane: Plane = { width, height, values: Float32Array.from(brightness) };
  const blocks = {
    width: Math.ceil(width / 8),
    height: Math.ceil(height / 8),
    values: Float32Array.from(clipped),
  };
  const structure = readJpegStructure(file);
  const steps = structure && brightnessSteps(structure);
  return {
    double_quantisation: () => steps && findDoubleQuantisation(plane, blocks, steps),
    copy_move: () => findCopyMove(plane),
    'copy_move, faint': () => findFaintCopy(plane),
    jpeg_grid: () => findJpegGrid(plane),
    error_level: () => errorLevels(plane),
    ghost: () => ghostQualities(plane),
    noise: () => noiseRatios(plane),
    hash: () => hashPicture({ ...thumbnail, rgb: thumbnailRgb }),
  };
}

async function byDetector(): Promise<void> {
  console.log('\nCPU ms by detector.\n');
  const pictures = await Promise.all(sizes.map(async (size) => pictureOf(size, 1)));
  print('detector', ...sizes.map((size) => `${size} megapixels`));
  print('---', ...sizes.map(() => '---'));
  const all = await Promise.all(pictures.map(async (file) => singles(file, await decoded(file))));
  for (const name of Object.keys(all[0] ?? {})) {
    const cells: string[] = [];
    for (const detectors of all) {
      const runs: number[] = [];
      for (let round = 0; round < rounds; round++) runs.push(await cpuFor(async () => detectors[name]?.()));
      cells.push(whole(median(runs)));
    }
    print(name, ...cells);
  }
}

function callers({ url, token }: BenchedPlatform) {
  const root = `${url}/agent-v3/api/v3`;
  const authorization = `Bearer ${token}`;
  const dataOf = async (answer: Response) => {
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    // biome-ignore lint/suspicious/noExplicitAny: answers of several operations
    return ((await answer.json()) as { data: any }).data;
  };
  const upload = async (bytes: Buffer): Promise<string> => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(bytes)]), 'a.jpg');
    const answer = await fetch(`${root}/media/upload`, { method: 'POST', headers: { authorization }, body });
    return (await dataOf(answer)).media_url;
  };
  const post = async (path: string, media_url: string) =>
    dataOf(
      await fetch(`${root}/${path}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ media_type: 'image', media_url }),
      }),
    );
  const status = async (id: string) =>
    (await dataOf(await fetch(`${root}/pipeline/sessions/${id}/status`, { headers: { authorization } })))
      .status;
  return { upload, post, status };
}

/** One analysis, which has to look at the picture. */
async function analysed(platform: BenchedPlatform, path: string, address: string): Promise<number> {
  const { post } = callers(platform);
  const started = performance.now();
  const session = await post(path, address);
  if (session.ai_tampered === null) throw new Error(`not examined: ${JSON.stringify(session.skipped)}`);
  return performance.now() - started;
}

async function analyses(platform: BenchedPlatform): Promise<void> {
  console.log(
    '\nWhole analyses of a stored picture through the gateway, one at a time, and quick looks at it.\n',
  );
  print('megapixels', 'whole, ms', 'quick, ms', 'whole, ms per megapixel', 'quick, CPU ms of the process');
  print('---', '---', '---', '---', '---');
  for (const [index, size] of sizes.entries()) {
    const address = await callers(platform).upload(await pictureOf(size, 100 + index));
    await analysed(platform, 'ai-tampered/quick', address);
    const full: number[] = [];
    const quick: number[] = [];
    const cpu: number[] = [];
    for (let round = 0; round < rounds; round++) {
      full.push(await analysed(platform, 'pipeline/analyze-media', address));
      const before = platform.cpuMs();
      quick.push(await analysed(platform, 'ai-tampered/quick', address));
      cpu.push(platform.cpuMs() - before);
    }
    print(size, whole(median(full)), whole(median(quick)), whole(median(full) / size), whole(median(cpu)));
  }
}

/** Accepts analyses of stored pictures and waits until all are done. */
async function throughSessions(platform: BenchedPlatform, addresses: readonly string[]): Promise<number> {
  const { post, status } = callers(platform);
  const started = performance.now();
  const ids = await Promise.all(
    addresses.map(async (address) => (await post('pipeline/analyze-async', address)).session_id),
  );
  for (const id of ids)
    while ((await status(id)) !== 'completed') {
      if (performance.now() - started > PATIENCE_MS) throw new Error('the queue does not end');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  return performance.now() - started;
}

async function together(platform: BenchedPlatform): Promise<void> {
  const [size = 0.8] = sizes;
  const { upload } = callers(platform);
  const addresses = await Promise.all(
    [1, 2, 3, 4].map(async (seed) => upload(await pictureOf(size, 200 + seed))),
  );
  const before = platform.memory().now;
  const took = await throughSessions(platform, addresses);
  const { now, peak } = platform.memory();
  console.log(
    `\nFour at once, ${size} megapixels each: ${whole(took)} ms; resident memory of the process ${whole(before)} MiB before, ${whole(now)} MiB after, ${whole(peak)} MiB at most (decoding processes apart).`,
  );
}

async function throughQueue(platform: BenchedPlatform): Promise<void> {
  if (queued === 0) return;
  const { upload } = callers(platform);
  const addresses: string[] = [];
  for (let seed = 0; seed < queued; seed++) addresses.push(await upload(await pictureOf(0.3, 1000 + seed)));
  const cpu = platform.cpuMs();
  const seconds = (await throughSessions(platform, addresses)) / 1000;
  console.log(
    `\n${queued} pictures of 0.3 megapixels through the queue: ${seconds.toFixed(1)} s, ${((3600 * queued) / seconds).toFixed(0)} an hour; CPU of the process ${whole((platform.cpuMs() - cpu) / queued)} ms each (decoding processes apart).`,
  );
}

const ARTICLE =
  'The town council met on Monday evening and agreed to repair the old bridge over the river, the mayor said. Work begins in spring and takes a year. ';

/** A host of pages that differ in their pictures alone: /N/SIZE leads with N pictures of so many megapixels, each time others. */
async function startPages() {
  let made = 0;
  const server = createServer(async (request, response) => {
    const [, count = '0', size = '1', name] = (request.url ?? '').split('/');
    if (name !== undefined) {
      made += 1;
      response.setHeader('content-type', 'image/jpeg');
      response.end(await pictureOf(Number(size), 5_000 + made));
      return;
    }
    const pictures = Array.from(
      { length: Number(count) },
      (_, index) => `<p>${ARTICLE}</p><img src="/${count}/${size}/${index}.jpg" width="900" height="675">`,
    );
    response.setHeader('content-type', 'text/html');
    response.end(
      `<html lang="en"><head><title>The bridge</title></head><body><article><h1>The bridge</h1>${pictures.join('')}<p>${ARTICLE.repeat(6)}</p></article></body></html>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** What the leading pictures of a page add to its analysis, and how far the time that they have carries. */
async function pages(platform: BenchedPlatform, host: string): Promise<void> {
  console.log('\nAnalyses of a page without pictures and with three, one at a time.\n');
  print(
    'pictures',
    'megapixels each',
    'analysis, ms',
    'CPU ms of the process',
    'CPU ms of ended decoders',
    'looked at closely',
    'quickly',
    'not',
  );
  print('---', '---', '---', '---', '---', '---', '---', '---');
  for (const [count, size] of [[0, 1] as const, ...sizes.map((each) => [3, each] as const)]) {
    const [walls, cpus, decoders]: [number[], number[], number[]] = [[], [], []];
    const depths: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const [started, before, decoded] = [performance.now(), platform.cpuMs(), platform.childrenCpuMs()];
      const answer = await fetch(`${platform.url}/agent-v3/api/v3/pipeline/analyze`, {
        method: 'POST',
        headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          media_type: 'url',
          url: `http://${host}/${count}/${size}`,
          components: ['ai_tampered'],
        }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: a part of a long answer
      const { data } = (await answer.json()) as { data: any };
      walls.push(performance.now() - started);
      cpus.push(platform.cpuMs() - before);
      decoders.push(platform.childrenCpuMs() - decoded);
      if (data?.ai_tampered == null) throw new Error(`not examined: ${JSON.stringify(data)}`);
      for (const { finding } of data.ai_tampered.leading_pictures ?? [])
        depths.push(finding?.image_analysis.depth ?? 'not');
    }
    const told = (depth: string) => depths.filter((one) => one === depth).length;
    print(
      count,
      size,
      whole(median(walls)),
      whole(median(cpus)),
      whole(median(decoders)),
      told('full'),
      told('quick'),
      told('not'),
    );
  }
}

const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };
console.log(
  `Limpede ${version}; load of the machine ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
);
if (isWhole) {
  await detectors();
  await byDetector();
}
const site = await startPages();
const platform = await startPlatformProcess({ WEB_ALLOWED_PRIVATE_HOSTS: site.host });
try {
  await pages(platform, site.host);
  if (isWhole) {
    await analyses(platform);
    await together(platform);
    await throughQueue(platform);
  }
} finally {
  await platform.stop();
  site.close();
}
