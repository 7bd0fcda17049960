import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { createTokenVerifier } from '../../../src/foundation/auth.ts';
import { createPasswordThreads } from '../../../src/services/identity/password-threads.ts';
import { hashPassword } from '../../../src/services/identity/passwords.ts';

/** Three times as many as Node's own pool has threads. */
const ATTEMPTS = 12;
const threads = createPasswordThreads();
afterAll(() => threads.close());
/** A third of the usual cost is long enough to wait behind. */
const stored = hashPassword('right', { N: 2 ** 15, r: 8, p: 1 });

describe('the threads of passwords', () => {
  it('hash a password and know it again', async () => {
    const stored = await threads.hash('parolă');
    expect(await threads.matches({ password: 'parolă', stored }, '192.0.2.1')).toBe(true);
    expect(await threads.matches({ password: 'parola', stored }, '192.0.2.1')).toBe(false);
  });

  it('leave the check of a token alone: it ends while wrong passwords still wait', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    const issuer = 'https://id.example';
    const token = await new SignJWT({ realm_access: { roles: ['user'] } })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setSubject('ana')
      .setExpirationTime('1h')
      .sign(privateKey);
    const verify = createTokenVerifier([{ name: 'clients', issuer, keys: async () => publicKey }]);

    let refused = 0;
    let checked = 0;
    const attempts = Array.from({ length: ATTEMPTS }, (_, index) =>
      threads.matches({ password: 'wrong', stored }, `192.0.2.${index}`).then(
        () => {
          checked += 1;
        },
        (error: Error) => {
          expect(error.name).toBe('QueueFullError');
          refused += 1;
        },
      ),
    );
    await verify(token);
    const checkedBefore = checked;
    await Promise.all(attempts);
    expect([checked, refused]).toEqual([ATTEMPTS, 0]);
    // On Node's own thread pool the token waits for all but the last few.
    expect(checkedBefore).toBeLessThan(ATTEMPTS / 2);
  });
});
