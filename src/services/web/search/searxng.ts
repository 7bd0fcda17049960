import { z } from 'zod';
import type { Probed } from '../../../foundation/health.ts';
import { createVendorClient, type VendorClient } from '../../../foundation/vendor-client.ts';

/** A configuration lists some hundred engines, each with a few hundred bytes. */
const ANSWER_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** The fields of GET /config that are read (https://docs.searxng.org/admin/api.html). */
const configuration = z.object({
  engines: z.array(z.object({ name: z.string(), enabled: z.boolean() })),
});

/** A SearXNG server. */
export interface Searxng extends Probed {
  close(): Promise<void>;
}

/** Opens a SearXNG server at an address from the settings. Nothing is sent before the first call. */
export function createSearxng(
  baseUrl: string,
  client: VendorClient = createVendorClient({
    name: 'searxng',
    baseUrl,
    timeoutMs: TIMEOUT_MS,
    answerBytes: ANSWER_BYTES,
  }),
): Searxng {
  return {
    // The configuration is the cheapest thing that it documents: no search engine is asked for it.
    probe: async (signal) => {
      const answer = await client.getJson('/config', configuration, { signal });
      if (!answer.ok) throw new Error(answer.message);
      if (!answer.value.engines.some(({ enabled }) => enabled)) {
        throw new Error('searxng: no search engine is enabled');
      }
    },
    close: () => client.close(),
  };
}
