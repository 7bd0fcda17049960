import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { hashApiKey, KEY_OWNER_HEADER } from '../../foundation/api-keys.ts';

/** The owners of recently accepted API keys. They decide whose rate limit a request counts against, never what it may do. */
export interface KeyOwners {
  /** Realm and subject of the owner; undefined for a key that was not accepted lately. */
  of(key: string): string | undefined;
  /** Records the owner named in the answer to a request with the key. */
  learn(key: string, status: number, headers: IncomingHttpHeaders): void;
}

const REMEMBERED_KEYS = 10_000;
const REMEMBERED_MS = 60_000;

/** Owners of keys, remembered by the hash of the key. */
export function createKeyOwners(): KeyOwners {
  const owners = new LRUCache<string, string>({ max: REMEMBERED_KEYS, ttl: REMEMBERED_MS });
  return {
    of: (key) => owners.get(hashApiKey(key)),
    learn(key, status, headers) {
      const owner = headers[KEY_OWNER_HEADER];
      if (typeof owner === 'string') owners.set(hashApiKey(key), decodeURIComponent(owner));
      else if (status === 401) owners.delete(hashApiKey(key));
    },
  };
}
