import { describe, expect, it } from 'vitest';
import type { VendorClient } from '../../../../src/foundation/vendor-client.ts';
import type { PageBrowser } from '../../../../src/services/web/fetch/browser/browser.ts';
import { createVisionFetcher } from '../../../../src/services/web/fetch/vision.ts';

const browser: PageBrowser = {
  visit: async ({ url }) => ({ html: '', finalUrl: url, status: 200, picture: Buffer.from('picture') }),
  probe: async () => undefined,
  close: async () => undefined,
};
const options = { signal: new AbortController().signal, timeoutMs: 1_000, share: 'ana' };

/** A vision server with these models; what it is asked is kept. */
function serverOf(models: readonly { id: string; owned_by: string }[]) {
  const asked: unknown[] = [];
  const client = {
    getJson: async () => ({ ok: true, status: 200, value: { data: models } }),
    postJson: async (_path: string, body: unknown) => {
      asked.push(body);
      return { ok: true, status: 200, value: { choices: [{ message: { content: 'The text.' } }] } };
    },
  } as unknown as VendorClient;
  return { client, asked };
}

const DESCRIBER = { id: 'limpede-describe-1', owned_by: 'limpede' };

describe('a page from its picture', () => {
  it('is read by a model that reads, not by our describer', async () => {
    const { client, asked } = serverOf([DESCRIBER, { id: 'seer', owned_by: 'vllm' }]);
    const page = await createVisionFetcher(browser, client).fetch('https://example.org/', options);
    expect(page).toMatchObject({ ok: true, bytes: Buffer.from('The text.') });
    expect(asked).toEqual([expect.objectContaining({ model: 'seer' })]);
  });

  it('is unavailable where our describer is alone', async () => {
    const { client, asked } = serverOf([DESCRIBER]);
    const page = await createVisionFetcher(browser, client).fetch('https://example.org/', options);
    expect(page).toMatchObject({ ok: false, error: 'unavailable' });
    expect(asked).toEqual([]);
  });
});
