import { z } from 'zod';
import { createVendorClient } from '../vendor-client.ts';
import { CHANGES_PER_READ, type ChangeStore } from './changes.ts';

/** The path at which the dashboard serves changes to processes without a database. */
const NEWS_PATH = '/api/config/changes';

/** Changes as they are sent over HTTP, in their order. */
export const publishedChanges = z.object({
  items: z
    .array(
      z.object({
        config_version: z.int().min(1),
        key: z.string(),
        version: z.int().min(1),
        value: z.unknown(),
        actor: z.string(),
        at: z.iso.datetime(),
      }),
    )
    .max(CHANGES_PER_READ),
});

/** Longest wait for an answer in milliseconds: a change is seen within two seconds. */
const CALL_LIMIT_MS = 1_000;
/** All values together are some tens of kilobytes. */
const ANSWER_BYTES = 16 * 1024 * 1024;
/** The dashboard is asked again each time: a circuit that stays open would hide a change for longer. */
const NO_BREAKER = { requests: Number.POSITIVE_INFINITY };

/** The change store of a process without the database: it reads changes from the dashboard and cannot write. */
export function remoteChanges(url: string): ChangeStore {
  const dashboard = createVendorClient({
    name: 'dashboard',
    baseUrl: url,
    timeoutMs: CALL_LIMIT_MS,
    answerBytes: ANSWER_BYTES,
    connections: 1,
    breaker: NO_BREAKER,
  });
  const readOnly = () => Promise.reject(new Error('values are changed at the dashboard'));
  return {
    after: async (version) => {
      const answer = await dashboard.getJson(NEWS_PATH, publishedChanges, { query: { after: version } });
      if (!answer.ok) throw new Error(answer.message);
      return answer.value.items.map(({ at, ...change }) => ({ ...change, at: new Date(at) }));
    },
    add: readOnly,
    list: readOnly,
    // It is asked again and again; nothing is announced over HTTP.
    listen: async () => () => dashboard.close(),
  };
}
