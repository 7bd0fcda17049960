import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Loss,
  type ReceivedBytes,
  type Refusal,
} from '../../../src/foundation/client.ts';
import { FILE_BYTES, sample, startSample, TEXT } from '../service/sample.ts';

let running: Awaited<ReturnType<typeof startSample>>;
beforeAll(async () => {
  running = await startSample();
});
afterAll(() => running.close());

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

function client(url = running.url, options: Partial<ClientOptions> = {}): Client<typeof sample> {
  const made = createClient(sample, { name: 'sample', url, timeoutMs: 30_000, ...options });
  opened.push(() => made.close());
  return made;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Options that keep what they hear. */
function hearing(more: CallOptions = {}) {
  const losses: Loss[] = [];
  const refusals: Refusal[] = [];
  const options: CallOptions = {
    lost: (loss) => losses.push(loss),
    refused: (refusal) => refusals.push(refusal),
    ...more,
  };
  return { losses, refusals, options };
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* pieces(bytes: number, size = 10_000) {
  for (let sent = 0; sent < bytes; sent += size) yield new Uint8Array(Math.min(size, bytes - sent)).fill(7);
}

async function textOf({ content }: ReceivedBytes): Promise<string> {
  let text = '';
  for await (const piece of content) text += String(piece);
  return text;
}

describe('a client that sends', () => {
  const file = (content: Uint8Array | AsyncIterable<Uint8Array>) => ({
    content,
    fileName: 'o "poză"\r\n.png',
    mediaType: 'image/png',
  });

  it('files and fields', async () => {
    const answer = await client().upload({
      query: {},
      body: {
        fields: { title: 'Două', seconds: 30, tags: ['a', 'b'] },
        files: { file: file(pieces(150_000)), cover: undefined, pages: [file(new Uint8Array(5))] },
      },
    });
    expect(answer).toMatchObject({
      title: 'Două',
      seconds: 30,
      tags: ['a', 'b'],
      files: {
        file: { size: 150_000, sha256: sha256(new Uint8Array(150_000).fill(7)) },
        pages: [{ size: 5 }],
      },
    });
  });

  it('files that are refused', async () => {
    const { options, refusals, losses } = hearing();
    const answer = await client().upload(
      {
        query: {},
        body: {
          fields: { title: 'x' },
          files: { file: file(new Uint8Array(1)), cover: undefined, pages: [] },
        },
      },
      options,
    );
    expect([answer, losses]).toEqual([undefined, []]);
    expect(refusals).toMatchObject([{ status: 400, body: { error_code: 'validation_failed' } }]);
  });

  it('bytes', async () => {
    const body = { content: pieces(FILE_BYTES), mediaType: 'image/png' };
    expect(await client().digest({ body })).toEqual({
      sha256: sha256(new Uint8Array(FILE_BYTES).fill(7)),
      mediaType: 'image/png',
      size: null,
    });
    const whole = { content: new Uint8Array(3), mediaType: 'image/png' };
    expect(await client().digest({ body: whole })).toMatchObject({ size: 3 });
  });

  it('and whose files cannot be read is told so', async () => {
    async function* broken() {
      yield new Uint8Array(10);
      throw new Error('disk');
    }
    const { options, losses } = hearing();
    const body = { content: broken(), mediaType: 'image/png' };
    expect(await client().digest({ body }, options)).toBeUndefined();
    expect(losses).toMatchObject([{ reason: 'unavailable' }]);
  });
});

describe('a client that reads bytes', () => {
  it('gets them as they arrive', async () => {
    const answer = await client().file({ params: { name: 'a.txt' } });
    expectTypeOf(answer).toEqualTypeOf<ReceivedBytes | { later: boolean } | undefined>();
    if (answer === undefined || !('content' in answer)) throw new Error('no bytes');
    expect(answer).toMatchObject({ mediaType: 'text/plain', size: 260 });
    expect(await textOf(answer)).toBe(TEXT);
    expect(await client().file({ params: { name: 'later' } })).toEqual({ later: true });
  });

  it('hears of refusals and losses before the first byte', async () => {
    const { options, refusals } = hearing();
    expect(await client().file({ params: { name: 'none' } }, options)).toBeUndefined();
    expect(refusals).toMatchObject([{ status: 404 }]);
  });

  it.each<[string, RequestListener, CallOptions, Partial<Loss>]>([
    [
      'too much',
      (_request, response) => response.end('x'.repeat(5000)),
      { answerBytes: 1000 },
      { reason: 'invalid_answer', message: 'sample: the answer is too large' },
    ],
    [
      'a part and then silence',
      (_request, response) => response.write('half'),
      { timeoutMs: 50 },
      { reason: 'timeout' },
    ],
    [
      'a part and then the end of the connection',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        setTimeout(() => response.destroy(), 20);
      },
      {},
      { reason: 'unavailable' },
    ],
  ])('hears of %s', async (_name, listener, more, loss) => {
    const { options, losses } = hearing(more);
    const answer = await client(await serve(listener)).file({ params: { name: 'a' } }, options);
    if (answer === undefined || !('content' in answer)) throw new Error('no bytes');
    await expect(textOf(answer)).rejects.toThrow();
    expect(losses).toMatchObject([{ dependency: 'sample', ...loss }]);
  });

  it('hears of an answer that drips when it asked for all of it in time, and of none when it did not', async () => {
    const url = await serve((_request, response) => {
      let drops = 0;
      const drip = setInterval(() => {
        response.write('.');
        drops += 1;
        if (drops === 80) response.end();
      }, 20);
      response.once('close', () => clearInterval(drip)).write('.');
    });
    const { options, losses } = hearing({ timeoutMs: 400 });
    const whole = await client(url).file({ params: { name: 'a' } }, { ...options, wholeInTime: true });
    const patient = await client(url).file({ params: { name: 'a' } }, { ...options, timeoutMs: 60_000 });
    if (whole === undefined || !('content' in whole)) throw new Error('no bytes');
    if (patient === undefined || !('content' in patient)) throw new Error('no bytes');
    const all = textOf(patient);
    await expect(textOf(whole)).rejects.toThrow('within 400 ms');
    expect(losses).toEqual([
      { dependency: 'sample', reason: 'timeout', message: 'sample: no whole answer within 400 ms' },
    ]);
    expect(await all).toHaveLength(81);
    expect(losses).toHaveLength(1);
  });

  it('may leave, which is nobody’s loss', async () => {
    let closed = 0;
    const url = await serve((_request, response) => {
      response.once('close', () => closed++);
      response.write('half');
    });
    const leaving = new AbortController();
    const { options, losses } = hearing({ signal: leaving.signal });
    const first = await client(url).file({ params: { name: 'a' } }, options);
    if (first === undefined || !('content' in first)) throw new Error('no bytes');
    const reading = textOf(first);
    setTimeout(() => leaving.abort(), 20);
    await expect(reading).rejects.toThrow('left');
    expect(losses).toEqual([]);
    await expect.poll(() => closed).toBe(1);

    const unread = await client(url).file({ params: { name: 'a' } });
    if (unread === undefined || !('content' in unread)) throw new Error('no bytes');
    unread.content.destroy();
    await expect.poll(() => closed).toBe(2);
  });
});

describe('a client that reads events', () => {
  it('gets them checked, from the beginning or after the last that it has seen', async () => {
    const read = async (lastEventId?: string) => {
      const events = await client().events({ params: { id: 'plain' }, lastEventId });
      const all = [];
      for await (const event of events ?? []) all.push(event);
      return all;
    };
    const all = await read();
    expectTypeOf(all).toEqualTypeOf<
      (
        | { readonly event: 'count.up'; readonly data: { value: number }; readonly id: string | undefined }
        | { readonly event: 'count.end'; readonly data: { sum: number }; readonly id: string | undefined }
      )[]
    >();
    expect(all.map(({ id }) => id)).toEqual(['1', '2', '3', 'end']);
    expect(all.at(-1)).toEqual({ event: 'count.end', data: { sum: 6 }, id: 'end' });
    expect(await read('3')).toEqual(all.slice(3));
  });

  it('hears of an event that does not keep the contract', async () => {
    const { options, losses } = hearing();
    const events = await client().events({ params: { id: 'wrong' } }, options);
    const read = async () => {
      for await (const event of events ?? []) expect(event.event).toBe('count.up');
    };
    await expect(read()).rejects.toThrow('does not keep the contract at value');
    expect(losses).toMatchObject([{ reason: 'invalid_answer' }]);
  });

  it('lives by heartbeats, and hears when they do not come any more', async () => {
    const { options, losses } = hearing({ timeoutMs: 10_000 });
    const url = await serve((_request, response) => {
      response.write(': hello\n\nevent: heartbeat\ndata: {}\n\nevent: unknown\ndata: x\n\n');
    });
    const events = await client(url).events({ params: { id: 'x' } }, options);
    const read = async () => {
      for await (const event of events ?? []) throw new Error(`unexpected ${event.event}`);
    };
    await expect(read()).rejects.toThrow('no answer within 800 ms');
    expect(losses).toMatchObject([{ reason: 'timeout' }]);
  });

  it('may leave at any event', async () => {
    const before = running.seen.ended;
    const events = await client().events({ params: { id: 'silent' } });
    for await (const event of events ?? []) if (event.id === '2') break;
    await expect.poll(() => running.seen.ended).toBe(before + 1);
  });
});
