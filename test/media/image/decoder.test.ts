import { type AddressInfo, createServer } from 'node:net';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/foundation/files.ts';
import { encodeReply } from '../../../src/media/image/decode-frame.ts';
import { decodeReply } from '../../../src/media/image/decode-reply.ts';
import { createDecoder, type DecodeError } from '../../../src/media/image/decoder.ts';
import { availableIsolation, SandboxError, startSandboxed } from '../../../src/media/sandbox.ts';

const options = {
  script: packageFile('dist', 'image-decode-worker.js'),
  readable: ['dist', 'node_modules', 'package.json'].map((name) => packageFile(name)),
  timeoutMs: 60_000,
  mostPixels: 1_000_000,
  thumbnailSide: 32,
};
const decoder = createDecoder(options);
afterAll(() => decoder.close());

const pattern = { width: 64, height: 48, channels: 3 } as const;
const rgb = Buffer.from(Array.from({ length: 3 * 64 * 48 }, (_, index) => (index * 31) % 256));
const image = () => sharp(rgb, { raw: pattern });

/** A picture that says to have 30,000 x 30,000 pixels: its header is true, the rest is not there. */
function enormous(): Buffer {
  const chunk = Buffer.from('4948445200007530000075300802000000', 'hex');
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(chunk));
  const start = Buffer.from('89504e470d0a1a0a0000000d', 'hex');
  return Buffer.concat([start, chunk, checksum, Buffer.from('0000000049444154', 'hex'), Buffer.alloc(99)]);
}

describe('a picture', () => {
  it('becomes its brightness and a small copy', async () => {
    const picture = await decoder.decode(await image().png().toBuffer());
    expect(picture).toMatchObject({ format: 'png', width: 64, height: 48, orientation: 1, pages: 1 });
    const expected = Math.round(0.299 * (rgb[0] ?? 0) + 0.587 * (rgb[1] ?? 0) + 0.114 * (rgb[2] ?? 0));
    expect([picture.brightness.length, picture.brightness[0]]).toEqual([64 * 48, expected]);
    expect(picture.thumbnail).toEqual({ width: 32, height: 24 });
    expect(picture.thumbnailRgb).toHaveLength(3 * 32 * 24);
  });

  it.each([
    ['JPEG', () => image().jpeg({ quality: 90 })],
    ['WebP', () => image().webp()],
    ['GIF', () => image().gif()],
    ['TIFF', () => image().tiff()],
    ['AVIF', () => image().avif()],
    ['grey PNG', () => image().greyscale().png()],
    ['PNG with transparency', () => image().ensureAlpha(0.5).png()],
    ['16-bit PNG', () => image().toColourspace('rgb16').png()],
  ])('may be a %s', async (_name, make) => {
    expect(await decoder.decode(await make().toBuffer())).toMatchObject({ width: 64, height: 48 });
  });

  it.each<[string, DecodeError['reason'], () => Buffer | Promise<Buffer>]>([
    ['breaks off', 'broken', async () => (await image().jpeg().toBuffer()).subarray(0, 700)],
    ['is empty', 'broken', () => Buffer.alloc(0)],
    [
      'is a drawing that names another file',
      'broken',
      () =>
        Buffer.from(
          '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd" width="9" height="9"/></svg>',
        ),
    ],
    ['is a document', 'broken', () => Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<<>>')],
    ['is a list of other files', 'broken', () => Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['has too many pixels', 'too_many_pixels', () => enormous()],
    [
      'has more pixels than the limit',
      'too_many_pixels',
      () =>
        sharp({ create: { width: 1001, height: 1000, channels: 3, background: 'red' } })
          .png()
          .toBuffer(),
    ],
  ])('is refused when it %s', async (_name, reason, make) => {
    await expect(decoder.decode(await make())).rejects.toMatchObject({ reason });
  });

  it('that takes too long ends its process', async () => {
    const hasty = createDecoder({ ...options, timeoutMs: 1 });
    await expect(hasty.decode(await image().png().toBuffer())).rejects.toMatchObject({ reason: 'timeout' });
    hasty.close();
  });

  it('is given up when its caller leaves', async () => {
    const leaving = new AbortController();
    const decoding = decoder.decode(await image().png().toBuffer(), leaving.signal);
    leaving.abort(new Error('left'));
    await expect(decoding).rejects.toThrow('left');
    await expect(decoder.decode(Buffer.alloc(9), AbortSignal.abort(new Error('gone')))).rejects.toThrow(
      'gone',
    );
  });
});

describe('the answer of the decoding process', () => {
  it('is not trusted: its size must be that of its picture', () => {
    const facts = {
      format: 'png',
      width: 2,
      height: 2,
      pages: 1,
      orientation: 1,
      hasAlpha: false,
      thumbnail: { width: 1, height: 1 },
    };
    const samples = (pixels: number) => ({
      brightness: Buffer.alloc(pixels),
      clipped: Buffer.alloc(1),
      thumbnailRgb: Buffer.alloc(3),
    });
    expect(decodeReply(encodeReply(facts, samples(4)))).toMatchObject(facts);
    expect(() => decodeReply(encodeReply(facts, samples(5)))).toThrow('another size');
    expect(() => decodeReply(encodeReply({ ...facts, orientation: 9 }, samples(4)))).toThrow();
  });
});

const limits = { wallMs: 60_000, cpuSeconds: 30, memoryBytes: 2 ** 30, outputBytes: 1000 };
const node = (code: string, more: Partial<typeof limits> = {}) =>
  startSandboxed({
    program: process.execPath,
    argumentList: ['-e', code],
    readable: [process.execPath],
    limits: { ...limits, ...more },
  });

describe('a program in the sandbox', () => {
  it('answers what it is given, and sees none of our environment', async () => {
    const program = node(
      'process.stdin.pipe(process.stdout); process.stdin.on("end", () => console.log(process.env.HOME, process.env.NODE_ENV))',
    );
    expect((await program.answer(Buffer.from('bytes '))).toString()).toBe('bytes undefined undefined\n');
    expect(program.alive).toBe(false);
  });

  it.each<[string, string, Partial<typeof limits>, SandboxError['reason']]>([
    ['says too much', 'setInterval(() => console.log("x".repeat(500)), 1)', {}, 'output_too_large'],
    ['never ends', 'setInterval(() => 0, 1000)', { wallMs: 300 }, 'timeout'],
    ['fails', 'console.error("why"); process.exit(3)', {}, 'failed'],
    [
      'starts another that never ends',
      'require("child_process").spawnSync("sleep", ["1000"])',
      { wallMs: 300 },
      'timeout',
    ],
  ])('is ended when it %s', async (_name, code, more, reason) => {
    await expect(node(code, more).answer(Buffer.alloc(0))).rejects.toMatchObject({ reason });
  });

  it('is a failure when it is not there', async () => {
    const missing = startSandboxed(
      { program: '/nowhere', argumentList: [], readable: [], limits },
      'process',
    );
    await expect(missing.answer(Buffer.from('x'))).rejects.toBeInstanceOf(SandboxError);
  });

  const isCaged = availableIsolation() === 'bubblewrap';
  it.skipIf(!isCaged).each([
    ['files of this machine', 'console.log(require("fs").readFileSync("/etc/passwd", "utf8"))'],
    ['our own folder', `console.log(require("fs").readdirSync(${JSON.stringify(packageFile('src'))}))`],
    ['other processes', 'process.kill(Number(process.env.OURS), 0)'],
    [
      'the network',
      'require("net").connect(Number(process.argv[1]), "127.0.0.1").once("connect", () => console.log("in"))',
    ],
  ])(`does not reach %s${isCaged ? '' : ' (skipped: no bubblewrap here)'}`, async (_name, code) => {
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const program = node(`process.env.OURS = "${process.pid}"; process.argv[1] = "${port}"; ${code}`);
    await expect(program.answer(Buffer.alloc(0))).rejects.toMatchObject({ reason: 'failed' });
    server.close();
  });
});
