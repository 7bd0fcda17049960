import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../src/foundation/api-keys.ts';
import { emptyHome } from '../../foundation/database/engines.ts';
import { listen, listenIdentity, startGateway, tokenOf } from './behind.ts';

const BURST = 5;
const place = { home: '', remove: async () => {} };
let identity: Awaited<ReturnType<typeof listenIdentity>>;
let analysis: Awaited<ReturnType<typeof listen>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
/** Keys that the service behind accepts, with their owners; what it was asked for. */
const owners = new Map<string, string>();
const asked: string[] = [];

function behind(request: IncomingMessage, response: ServerResponse): void {
  const owner = owners.get(String(request.headers['x-api-key']));
  asked.push(request.url ?? '');
  const known = owner !== undefined || request.headers.authorization !== undefined;
  response.writeHead(known ? 200 : 401, {
    'content-type': 'application/json',
    ...(owner !== undefined && owner !== '' && { 'x-limpede-key-owner': encodeURIComponent(owner) }),
  });
  response.end(JSON.stringify(known ? {} : { error_code: 'api_key_invalid' }));
}

beforeEach(async () => {
  Object.assign(place, emptyHome());
  [identity, analysis] = await Promise.all([listenIdentity(place.home), listen(behind)]);
  gateway = await startGateway(place.home, {
    IDENTITY_URL: identity.url,
    ANALYSIS_URL: analysis.url,
    GATEWAY_RATE_LIMIT_RPS: '0.01',
    GATEWAY_RATE_LIMIT_BURST: String(BURST),
  });
  owners.clear();
  asked.length = 0;
});
afterEach(async () => {
  await gateway.close();
  await Promise.all([identity.close(), analysis.close()]);
  await place.remove();
});

const use = (headers: Record<string, string>, path = '/agent-v3/x') =>
  fetch(`${gateway.url}${path}`, { headers });
const useKey = (key: string) => use({ 'x-api-key': key });
/** Statuses of requests sent one after another. */
async function statuses(count: number, send: (turn: number) => Promise<Response>): Promise<number[]> {
  const seen: number[] = [];
  for (let turn = 0; turn < count; turn++) seen.push((await send(turn)).status);
  return seen;
}

function acceptedKey(owner: string): string {
  const { key } = createApiKey();
  owners.set(key, owner);
  return key;
}

describe('an API key at the gateway', () => {
  it('goes on to the service behind; its owner does not come back', async () => {
    const response = await useKey(acceptedKey('clients/ana'));
    expect(response.status).toBe(200);
    expect(response.headers.get('x-limpede-key-owner')).toBeNull();
    expect(asked).toEqual(['/x']);
  });

  it('counts against its owner once it was accepted, together with other keys and tokens of the owner', async () => {
    const [one, two] = [acceptedKey('clients/ana'), acceptedKey('clients/ana')];
    // The first request of each counts against the address.
    expect(await statuses(2, (turn) => useKey(turn === 0 ? one : two))).toEqual([200, 200]);
    expect(await statuses(4, (turn) => useKey(turn % 2 === 0 ? one : two))).toEqual([200, 200, 200, 200]);
    const authorization = `Bearer ${await tokenOf(place.home, { subject: 'ana' })}`;
    expect((await use({ authorization })).status).toBe(200);
    const refused = await useKey(one);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await use({ authorization })).status).toBe(429);
    expect((await useKey(acceptedKey('clients/bob'))).status).toBe(200);
  });

  it('that is guessed counts against the address, well formed or not, and the service behind is asked no more', async () => {
    expect(await statuses(3, () => useKey(createApiKey().key))).toEqual([401, 401, 401]);
    expect(await statuses(2, () => useKey('lmp_ext_guess'))).toEqual([401, 401]);
    expect(await statuses(2, () => useKey(createApiKey().key))).toEqual([429, 429]);
    expect(await statuses(1, () => useKey('lmp_ext_guess'))).toEqual([429]);
    expect(asked).toHaveLength(3);
  });

  it('is not taken for accepted by an answer that does not say so', async () => {
    const { key } = createApiKey();
    owners.set(key, '');
    await useKey(key);
    owners.delete(key);
    expect(await statuses(6, () => useKey(key))).toEqual([401, 401, 401, 401, 429, 429]);
  });

  it('that was revoked counts against the address again', async () => {
    const key = acceptedKey('clients/ana');
    await useKey(key);
    owners.delete(key);
    expect(await statuses(6, () => useKey(key))).toEqual([401, 401, 401, 401, 401, 429]);
  });
});
