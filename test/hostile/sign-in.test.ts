import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere } from '../running-platform.ts';

let platform: Awaited<ReturnType<typeof runHere>>;
beforeAll(async () => {
  platform = await runHere({
    LIMPEDE_SERVICES: 'gateway,analysis,identity',
    GATEWAY_LOGIN_RATE_LIMIT_BURST: '1000',
  });
});
afterAll(() => platform.stop());

const ATTEMPTS = 60;

/** Begins a sign-in at an address; returns what sends the form. */
async function beginSignIn(base: string) {
  const challenge = createHash('sha256').update('x'.repeat(43)).digest('base64url');
  const query = new URLSearchParams({
    client_id: 'limpede-web',
    redirect_uri: platform.environment.LIMPEDE_PUBLIC_URL ?? '',
    response_type: 'code',
    scope: 'openid',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const first = await fetch(`${base}/realms/clients/auth?${query}`, { redirect: 'manual' });
  const cookie = first.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const path = first.headers.get('location') ?? '';
  return (form: Record<string, string>, headers: Record<string, string>) =>
    fetch(`${base}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, ...headers },
      body: new URLSearchParams(form),
    });
}

describe('wrong passwords by the dozen', () => {
  it.each([
    ['through the gateway', () => platform.environment.LIMPEDE_PUBLIC_URL ?? ''],
    ['straight at the identity port', () => `http://127.0.0.1:${platform.environment.IDENTITY_PORT}`],
  ])('%s, with forged addresses, hold no fresh token up', async (_name, base) => {
    const send = await beginSignIn(base());
    const statuses: number[] = [];
    const wrong = () => statuses.filter((status) => status === 401).length;
    const attempts = Array.from({ length: ATTEMPTS }, async (_, index) => {
      const forged = { 'x-forwarded-for': `198.51.100.${index}`, 'x-limpede-gateway': 'guess' };
      const response = await send({ name: `user-${index}`, password: 'wrong' }, forged);
      statuses.push(response.status);
      if (response.status !== 401) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    });
    const token = await platform.token({ user: `fresh-${base().length}` });
    const history = await platform.ask('/api/v3/pipeline/history', { token });
    const wrongBefore = wrong();
    await Promise.all(attempts);
    expect(history.status).toBe(200);
    expect(statuses).toHaveLength(ATTEMPTS);
    expect(statuses.every((status) => [401, 429, 503].includes(status))).toBe(true);
    // A place for each address that can be forged would have let all of them in.
    expect(statuses).toContain(429);
    expect(wrongBefore).toBeLessThan(wrong());
  });
});
