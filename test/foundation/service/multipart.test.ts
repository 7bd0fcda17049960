import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FILE_BYTES, startSample } from './sample.ts';

let sample: Awaited<ReturnType<typeof startSample>>;
beforeAll(async () => {
  sample = await startSample();
});
afterAll(() => sample.close());

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const blob = (bytes: number | Uint8Array, type = 'image/png') =>
  new Blob([typeof bytes === 'number' ? new Uint8Array(bytes) : Uint8Array.from(bytes)], { type });

function form(parts: [name: string, value: string | Blob, fileName?: string][]): FormData {
  const data = new FormData();
  for (const [name, value, fileName] of parts)
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, fileName ?? 'name.png');
  return data;
}

const send = (body: RequestInit['body'], path = '/v1/upload', headers: Record<string, string> = {}) =>
  fetch(`${sample.url}${path}`, {
    method: 'POST',
    body: body ?? null,
    headers,
    duplex: 'half',
  } as RequestInit);

async function refused(response: Response) {
  const body = (await response.json()) as {
    error_code: string;
    details?: { path: string; message: string }[];
  };
  return [response.status, body.error_code, body.details?.[0]?.path, body.details?.[0]?.message];
}

describe('a multipart body', () => {
  it('arrives with checked fields and streamed files', async () => {
    const bytes = Buffer.from(Array.from({ length: 150_000 }, (_, index) => index % 251));
    const response = await send(
      form([
        ['file', blob(bytes), '../../etc/ștampilă.png'],
        ['title', 'Două cuvinte'],
        ['seconds', '12.5'],
        ['tags', 'a'],
        ['tags', 'b'],
        ['pages', blob(10)],
        ['unknown', 'is left out'],
      ]),
    );
    expect(response.status).toBe(200);
    const answer = (await response.json()) as Record<string, unknown> & { files: Record<string, unknown> };
    expect(answer).toMatchObject({ title: 'Două cuvinte', seconds: 12.5, tags: ['a', 'b'] });
    expect(answer.files.file).toMatchObject({
      size: 150_000,
      sha256: sha256(bytes),
      fileName: 'ștampilă.png',
      mediaType: 'image/png',
    });
    expect(answer.files.pages).toMatchObject([{ size: 10 }]);
    expect(answer.files.cover).toBeUndefined();
    expect(await sample.files()).toHaveLength(2);
  });

  it('takes the largest file that is allowed, and an empty one', async () => {
    for (const size of [FILE_BYTES, 0]) {
      const response = await send(
        form([
          ['title', 'xx'],
          ['file', blob(size)],
        ]),
      );
      const { files } = (await response.json()) as { files: { file: { size: number } } };
      expect(files.file.size).toBe(size);
    }
  });

  it('checks the other parts of the request before it reads', async () => {
    const response = await send(
      form([
        ['title', 'xx'],
        ['file', blob(10)],
      ]),
      '/v1/upload?keep=perhaps',
    );
    expect((await refused(response)).slice(0, 3)).toEqual([400, 'validation_failed', 'query.keep']);
  });
});

describe('a multipart body that is refused', () => {
  let before: string[] = [];
  beforeAll(async () => {
    before = await sample.files();
  });
  afterEach(async () => {
    await expect.poll(() => sample.files()).toEqual(before);
  });

  const valid = (): [string, string | Blob][] => [
    ['title', 'xx'],
    ['file', blob(10)],
  ];

  it.each<[string, () => [string, string | Blob][], unknown[]]>([
    ['without its file', () => [['title', 'xx']], [400, 'validation_failed', 'body.file', 'Field required']],
    [
      'with its file as text',
      () => [
        ['title', 'xx'],
        ['file', 'text'],
      ],
      [400, 'validation_failed', 'body.file'],
    ],
    [
      'without a field',
      () => [['file', blob(10)]],
      [400, 'validation_failed', 'body.title', 'Field required'],
    ],
    [
      'with a field out of range, after its file',
      () => [...valid(), ['seconds', '61']],
      [400, 'validation_failed', 'body.seconds', 'Input should be less than or equal to 60'],
    ],
    [
      'with an unknown file',
      () => [...valid(), ['other', blob(10)]],
      [400, 'validation_failed', 'body.other'],
    ],
    ['with a file twice', () => [...valid(), ['file', blob(10)]], [400, 'validation_failed', 'body.file']],
    [
      'with too many of a list',
      () => [...valid(), ['pages', blob(1)], ['pages', blob(1)], ['pages', blob(1)]],
      [400, 'validation_failed', 'body.pages', 'At most 2 file(s) of this name may be sent'],
    ],
    [
      'with a file that is too large',
      () => [
        ['title', 'xx'],
        ['file', blob(FILE_BYTES + 1)],
      ],
      [413, 'payload_too_large'],
    ],
    [
      'with another file that is too large',
      () => [...valid(), ['cover', blob(1001)]],
      [413, 'payload_too_large'],
    ],
    [
      'with too many fields',
      () => [...valid(), ...Array.from({ length: 80 }, (_, index): [string, string] => [`f${index}`, 'x'])],
      [400, 'validation_failed', 'body.'],
    ],
    [
      'with a field that is too long',
      () => [
        ['title', 'x'.repeat(300_000)],
        ['file', blob(10)],
      ],
      [400, 'validation_failed', 'body.title'],
    ],
    [
      'with a name that is special',
      () => [
        ['__proto__', 'xx'],
        ['constructor', blob(1)],
      ],
      [400, 'validation_failed', 'body.constructor'],
    ],
  ])('%s', async (_name, parts, answer) => {
    const result = await refused(await send(form(parts())));
    expect(result.slice(0, answer.length)).toEqual(answer);
  });

  it('after it was stored, because the handler says no later', async () => {
    // What the handler refuses after `receive` is the handler's to remove: here it keeps the file.
    const response = await send(form(valid()), '/v1/upload?keep=no');
    expect(response.status).toBe(404);
    before = await sample.files();
  });

  it.each<[string, Record<string, string>, string, number]>([
    ['as JSON', { 'content-type': 'application/json' }, '{}', 400],
    ['without a boundary', { 'content-type': 'multipart/form-data' }, 'x', 400],
    [
      'that ends too early',
      { 'content-type': 'multipart/form-data; boundary=b' },
      '--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\nabc',
      400,
    ],
    ['of nothing', { 'content-type': 'multipart/form-data; boundary=b' }, '', 400],
    ['of garbage', { 'content-type': 'multipart/form-data; boundary=b' }, 'x'.repeat(5000), 400],
  ])('%s', async (_name, headers, body, status) => {
    const response = await send(body, '/v1/upload', headers);
    expect((await refused(response)).slice(0, 2)).toEqual([status, 'validation_failed']);
  });

  it('by its declared length, before it is read', async () => {
    const socket = connect(sample.port, '127.0.0.1');
    const type = 'content-type: multipart/form-data; boundary=b';
    socket.write(
      `POST /v1/upload HTTP/1.1\r\nhost: localhost\r\n${type}\r\ncontent-length: 99999999\r\n\r\n`,
    );
    const [head] = (await new Promise<Buffer[]>((resolve) => {
      socket.once('data', (data) => resolve([data as Buffer]));
    })) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('by a handler that never reads it', async () => {
    const response = await send(form([['file', blob(FILE_BYTES)]]), '/v1/refuse');
    expect((await refused(response)).slice(0, 2)).toEqual([404, 'not_found']);
  });

  it('by the role of the caller', async () => {
    const response = await send(form([['file', blob(10)]]), '/v1/admin/upload');
    expect((await refused(response)).slice(0, 2)).toEqual([403, 'forbidden_role']);
  });

  it('by its sender, who leaves in the middle', async () => {
    const socket = connect(sample.port, '127.0.0.1');
    const part = 'content-disposition: form-data; name="file"; filename="x"';
    socket.write(
      `POST /v1/upload HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=b\r\n` +
        `content-length: 100000\r\n\r\n--b\r\n${part}\r\n\r\n${'x'.repeat(50_000)}`,
    );
    await expect.poll(async () => (await sample.files()).length).toBe(before.length + 1);
    socket.destroy();
    await expect.poll(async () => (await sample.files()).length).toBe(before.length);
    const response = await send(form(valid()));
    expect(response.status).toBe(200);
    before = await sample.files();
  });
});

describe('a body of bytes', () => {
  const post = (body: Uint8Array, type: string) =>
    send(Buffer.from(body), '/v1/digest', { 'content-type': type });

  it('is read as it arrives', async () => {
    const bytes = new Uint8Array(FILE_BYTES).fill(7);
    const response = await post(bytes, 'image/PNG; x=y');
    expect(await response.json()).toEqual({
      sha256: sha256(bytes),
      mediaType: 'image/png',
      size: FILE_BYTES,
    });
  });

  it('has a type and a limit', async () => {
    expect((await refused(await post(new Uint8Array(1), 'text/plain'))).slice(0, 3)).toEqual([
      400,
      'validation_failed',
      'headers.content-type',
    ]);
    expect((await refused(await post(new Uint8Array(FILE_BYTES + 1), 'image/png'))).slice(0, 2)).toEqual([
      413,
      'payload_too_large',
    ]);
    const chunks = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent <= FILE_BYTES; sent += 10_000) controller.enqueue(new Uint8Array(10_000));
        controller.close();
      },
    });
    const response = await send(chunks, '/v1/digest', { 'content-type': 'image/png' });
    expect(response.status).toBe(413);
  });
});
