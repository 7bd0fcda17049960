import { afterEach, describe, expect, it } from 'vitest';
import { runCheck } from '../../../../src/foundation/health.ts';
import { createExtractor, type Extractor } from '../../../../src/services/web/extract/extractor.ts';

const never = new AbortController().signal;
const page = (html: string) => ({
  bytes: Buffer.from(html),
  contentType: 'text/html; charset=utf-8',
  mediaType: 'text/html',
  url: 'https://a.example/',
});
const story = `<p>${'Consiliul local a votat miercuri bugetul pentru anul viitor, după o lungă dezbatere. '.repeat(10)}</p>`;
/** Takes many seconds: as many elements as are allowed, each a candidate for the article. */
const hostile = `<div><p>One, two, three, four, five, six, seven, eight, nine, ten.</p></div>`.repeat(70_000);

let extractor: Extractor;
const startWith = (timeoutMs: () => number) => {
  extractor = createExtractor({ threads: 1, timeoutMs });
  return extractor;
};
const start = (timeoutMs: number) => startWith(() => timeoutMs);
afterEach(() => extractor.close());

describe('extraction in threads', () => {
  it('answers what the page holds', async () => {
    const { text, metadata } = await start(20_000).extract(
      page(`<title>Bugetul</title>${story.repeat(3)}`),
      'a',
      never,
    );
    expect(text.split('\n')).toHaveLength(3);
    expect(metadata.title).toBe('Bugetul');
  });

  it('takes the memory of a large page over instead of copying it', async () => {
    const [large, small] = [page(`<title>Bugetul</title>${story.repeat(500)}`), page(story)];
    const whole = await start(20_000).extract(large, 'a', never);
    await extractor.extract(small, 'a', never);
    expect(whole.text.length).toBeGreaterThan(story.length * 400);
    expect([large.bytes.byteLength, small.bytes.byteLength > 0]).toEqual([0, true]);
  });

  it('ends a page that overruns its time, and goes on with the next', async () => {
    // However fast the machine is, the hostile page takes longer than the first limit, and no page the second.
    let limit = 200;
    const working = startWith(() => limit);
    await expect(working.extract(page(hostile), 'a', never)).rejects.toThrow();
    limit = 60_000;
    const { text } = await working.extract(page(story), 'a', never);
    expect(text).toContain('Consiliul');
  });

  it('ends when the caller leaves', async () => {
    const leaving = new AbortController();
    const reading = start(20_000).extract(page(hostile), 'a', leaving.signal);
    setTimeout(() => leaving.abort(), 200);
    await expect(reading).rejects.toThrow();
    await expect(extractor.extract(page(story), 'a', AbortSignal.abort())).rejects.toThrow();
  });

  it('can be given up while its threads are starting', async () => {
    for (let round = 0; round < 25; round++) {
      const starting = start(20_000);
      const leaving = new AbortController();
      const reading = starting.extract(page(story), 'a', leaving.signal);
      setTimeout(() => leaving.abort(), 15 * round);
      await reading.catch(() => undefined);
      await starting.close();
    }
  });

  it('is healthy while a thread reads pages', async () => {
    await expect(start(20_000).probe(never)).resolves.toBeUndefined();
  });

  it('is not healthy while its only thread is held up', async () => {
    const working = start(20_000);
    await working.extract(page(story), 'a', never);
    const leaving = new AbortController();
    const held = working.extract(page(hostile), 'a', leaving.signal);
    // The thread has the page before it is asked how it is.
    await new Promise((resolve) => setImmediate(resolve));
    const check = await runCheck(working, 200);
    leaving.abort();
    await expect(held).rejects.toThrow();
    expect(check).toMatchObject({ status: 'unhealthy', error: 'no answer within 200 ms' });
  });
});
