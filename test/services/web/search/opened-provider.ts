import type { RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import type {
  ImageQuery,
  ProviderQuery,
  SearchProvider,
} from '../../../../src/services/web/search/provider.ts';
import { startVendor } from './vendor-server.ts';

/** A question with every wish that a provider may honour. */
export const query: ProviderQuery = {
  query: 'bridge closed',
  count: 7,
  language: 'ro',
  country: 'RO',
  freshness: 'week',
  safeSearch: 'strict',
  allow: ['news.example'],
  block: ['spam.example'],
};

/** A question for pictures. */
export const imageQuery: ImageQuery = {
  query: 'bridge',
  count: 7,
  language: 'en',
  country: 'US',
  safeSearch: 'strict',
  spellcheck: false,
};

/** Settings of a provider at an address. */
export const options = (baseUrl: string) => ({
  baseUrl,
  userAgent: 'Limpede/test',
  timeoutMs: 5_000,
  key: 'secret-key',
});
/** Of a caller who stays. */
export const { signal } = new AbortController();

/** A provider and its vendor, until the test ends. */
export async function openProvider(create: (url: string) => SearchProvider, listener: RequestListener) {
  const vendor = await startVendor(listener);
  const provider = create(vendor.url);
  onTestFinished(async () => {
    await provider.close();
    await vendor.stop();
  });
  return { provider, vendor };
}
