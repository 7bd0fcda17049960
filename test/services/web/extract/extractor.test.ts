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
/** Takes the parser many seconds: every further level makes all levels above it dearer. */
const hostile = '<div>'.repeat(250_000);

let extractor: Extractor;
const start = (timeoutMs: number) => {
  extractor = createExtractor({ threads: 1, timeoutMs });
  return extractor;
};
afterEach(() => extractor.close());

describe('extraction in threads', () => {
  it('answers what the page holds', async () => {
    const { text, metadata } = await start(20_000).extract(
      page(`<title>Bugetul</title>${story.repeat(3)}`),
      never,
    );
    expect(text.split('\n')).toHaveLength(3);
    expect(metadata.title).toBe('Bugetul');
  });

  it('ends a page that overruns its time, and goes on with the next', async () => {
    const working = start(4000);
    await expect(working.extract(page(hostile), never)).rejects.toThrow();
    const { text } = await working.extract(page(story), never);
    expect(text).toContain('Consiliul');
  });

  it('ends when the caller leaves', async () => {
    const leaving = new AbortController();
    const reading = start(20_000).extract(page(hostile), leaving.signal);
    setTimeout(() => leaving.abort(), 200);
    await expect(reading).rejects.toThrow();
    await expect(extractor.extract(page(story), AbortSignal.abort())).rejects.toThrow();
  });

  it('is healthy while a thread reads pages', async () => {
    await expect(start(20_000).probe(never)).resolves.toBeUndefined();
  });

  it('is not healthy while its only thread is held up', async () => {
    const working = start(20_000);
    const leaving = new AbortController();
    const held = working.extract(page(hostile), leaving.signal);
    const check = await runCheck(working, 200);
    leaving.abort();
    await expect(held).rejects.toThrow();
    expect(check).toMatchObject({ status: 'unhealthy', error: 'no answer within 200 ms' });
  });
});
