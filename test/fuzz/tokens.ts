import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createApiKey, hashApiKey, isApiKey } from '../../src/foundation/api-keys.ts';
import { bearerToken, createTokenVerifier, TokenError } from '../../src/foundation/auth.ts';
import { createTokenCheck } from '../../src/foundation/bearer-tokens.ts';
import { type FuzzTarget, mutated } from './target.ts';

const ISSUER = 'https://id.example/realms/clients';
const LIFE_S = 24 * 3600;
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

const WORDS = [
  '.',
  '..',
  '=',
  '==',
  'eyJhbGciOiJub25lIn0',
  encode({ alg: 'HS256' }),
  encode({ alg: 'RS256', crit: ['b64'], b64: false }),
  encode({ iss: ISSUER, sub: 'root' }),
  'Bearer ',
  ' ',
  '\t',
  ',',
  '-',
  '_',
  '+',
  '/',
  '\0',
  'ș',
];

/** Tokens and keys: whatever is not the very one that was issued is refused, by the refusal that is documented. */
export const tokens: FuzzTarget = {
  name: 'tokens',
  open: async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
    const sign = (subject: string) =>
      new SignJWT({ scope: 'openid', sub: subject, realm_access: { roles: ['user'] } })
        .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
        .setIssuer(ISSUER)
        .setAudience('limpede')
        .setExpirationTime(Math.floor(Date.now() / 1000) + LIFE_S)
        .sign(privateKey);
    const issued = new Map([
      [await sign('ana'), 'ana'],
      [await sign('dan'), 'dan'],
    ]);
    const keys = { keys: [jwk] };
    // One for each question: a token that was accepted once is not answered from memory.
    const verifier = () =>
      createTokenVerifier([{ name: 'clients', issuer: ISSUER, audience: 'limpede', keys }]);
    const known = [createApiKey().key, createApiKey().key];
    const check = createTokenCheck(['first-token', 'șecond'], 'internal-token');
    const inputs = mutated([...issued.keys(), ...known, 'first-token', 'șecond', 'internal-token'], WORDS);

    const ask = async (bytes: Buffer): Promise<void> => {
      const text = bytes.toString('utf8');
      let caller: unknown;
      try {
        caller = (await verifier()(text)).subject;
      } catch (error) {
        ok(error instanceof TokenError, `not a refusal: ${String(error)}`);
      }
      // The last sign of a signature in base64url has bits that count for nothing: the same signature, written otherwise.
      const [head, claims] = text.split('.');
      const same = [...issued].find(([token]) => token.startsWith(`${head}.${claims}.`))?.[1];
      if (caller !== undefined) deepStrictEqual(caller, same);
      if (isApiKey(text) && !known.includes(text))
        ok(
          known.every((key) => hashApiKey(key) !== hashApiKey(text)),
          'two keys with one hash',
        );
      const header = `Bearer ${text}`;
      const caught = check(header);
      if (!['first-token', 'șecond', 'internal-token'].includes(text.trim()))
        deepStrictEqual(caught, undefined);
      bearerToken({ authorization: header });
    };
    return { property: fc.asyncProperty(inputs, ask), close: async () => undefined };
  },
};
