import { describe, expect, it } from 'vitest';
import { QueueFullError } from '../../../src/foundation/fair-queue.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import {
  dummyHash,
  hashPassword,
  passwordMatches,
  randomPassword,
} from '../../../src/services/identity/passwords.ts';
import { identitySettings } from '../../../src/services/identity/settings.ts';
import { createSignIn } from '../../../src/services/identity/sign-in.ts';
import type { User } from '../../../src/services/identity/user-store.ts';

/** At a cost that is enough where the cost is not the subject. */
const passwordHash = hashPassword('parolă ș', { N: 2 ** 10, r: 8, p: 1 });
const ana: User = {
  realm: 'clients',
  subject: 'ana',
  email: null,
  roles: ['user'],
  plan: null,
  passwordHash,
};
const store = {
  find: async (realm: string, name: string) => (realm === 'clients' && name === 'ana' ? ana : undefined),
};

type Threads = Parameters<typeof createSignIn>[2];

/** Hashes in this thread, without a queue. */
const direct: Threads = {
  refusal: () => undefined,
  matches: async (question) => passwordMatches(question),
};
/** Counting attempts needs no slow hashes. */
const quick: Threads = { ...direct, matches: async ({ password }) => password === 'parolă ș' };
const signIn = (attempts = '100', threads = direct) => {
  const environment = { IDENTITY_LOGIN_ATTEMPTS: attempts, IDENTITY_LOGIN_PAUSE_SECONDS: '3600' };
  return createSignIn(store, parseSettings(identitySettings, environment), threads);
};
const attempt = { realm: 'clients', name: 'ana', password: 'parolă ș', from: '192.0.2.1' } as const;

const matches = (password: string, stored: string) => passwordMatches({ password, stored });

describe('a password', () => {
  it('is kept as a salted hash', () => {
    const usual = hashPassword('parolă ș');
    expect(usual).toMatch(/^scrypt\$32768\$8\$3\$/);
    expect(hashPassword('parolă ș', { N: 2 ** 10, r: 8, p: 1 })).not.toBe(passwordHash);
    expect(matches('parolă ș', usual)).toBe(true);
    expect(matches('parola ș', usual)).toBe(false);
    expect(matches('', passwordHash)).toBe(false);
    expect(matches('x', 'plain')).toBe(false);
    expect(matches('', dummyHash)).toBe(false);
  });

  it('is the same however its letters are composed', () => {
    expect(matches('parolă ș'.normalize('NFD'), passwordHash)).toBe(true);
  });

  it('is random when generated', () => {
    const made = new Set(Array.from({ length: 100 }, randomPassword));
    expect(made.size).toBe(100);
    for (const password of made) expect(password).toMatch(/^[\w-]{16}$/);
  });
});

describe('an attempt to sign in', () => {
  it.each([
    ['right', {}, { user: ana }],
    ['with a wrong password', { password: 'x' }, { problem: 'wrong' }],
    ['of nobody', { name: 'ion' }, { problem: 'wrong' }],
    ['of the other realm', { realm: 'admins' as const }, { problem: 'wrong' }],
    ['without a name', { name: '' }, { problem: 'incomplete' }],
    ['without a password', { password: '' }, { problem: 'incomplete' }],
    ['with a password that is too long to hash', { password: 'x'.repeat(300) }, { problem: 'wrong' }],
    ['with a name that is too long', { name: 'x'.repeat(300) }, { problem: 'wrong' }],
  ])('%s', async (_name, changes, result) => {
    expect(await signIn()({ ...attempt, ...changes })).toEqual(result);
  });

  it.each([
    ['disabled', undefined],
    ['given another password', { ...ana, passwordHash: 'another' }],
  ])('fails when the user is %s while the password is checked', async (_name, after) => {
    const answers = [ana, after];
    const users = { find: async () => answers.shift() };
    const check = createSignIn(users, parseSettings(identitySettings, {}), quick);
    expect(await check(attempt)).toEqual({ problem: 'wrong' });
  });

  it('must wait after too many, for that name from that address', async () => {
    const check = signIn('3', quick);
    const wrong = { ...attempt, password: 'x' };
    for (let count = 0; count < 3; count += 1) expect(await check(wrong)).toEqual({ problem: 'wrong' });
    expect(await check(attempt)).toEqual({ problem: 'wait' });
    expect(await check({ ...attempt, name: 'ANA' })).toEqual({ problem: 'wait' });
    expect(await check({ ...wrong, name: 'ion' })).toEqual({ problem: 'wrong' });
    expect(await check({ ...attempt, from: '192.0.2.2' })).toEqual({ user: ana });
  });

  it('has all its attempts again after the right one', async () => {
    const check = signIn('2', quick);
    for (let count = 0; count < 5; count += 1) {
      expect(await check({ ...attempt, password: 'x' })).toEqual({ problem: 'wrong' });
      expect(await check(attempt)).toEqual({ user: ana });
    }
  });

  it('must wait after ten times as many from all addresses together', async () => {
    const check = signIn('1', quick);
    for (let count = 0; count < 10; count += 1)
      expect(await check({ ...attempt, from: `192.0.2.${count}`, password: 'x' })).toEqual({
        problem: 'wrong',
      });
    expect(await check({ ...attempt, from: '192.0.2.99' })).toEqual({ problem: 'wait' });
  });

  it('that there is no room for is refused before anything is counted or looked up', async () => {
    let refusal: 'own' | 'all' | undefined = 'own';
    const check = signIn('1', { ...quick, refusal: () => refusal });
    for (let count = 0; count < 3; count += 1) expect(await check(attempt)).toEqual({ problem: 'wait' });
    refusal = 'all';
    expect(await check(attempt)).toEqual({ problem: 'busy' });
    refusal = undefined;
    expect(await check(attempt)).toEqual({ user: ana });
  });

  it('whose room was taken meanwhile is refused too', async () => {
    const full = { ...quick, matches: () => Promise.reject(new QueueFullError('all')) };
    expect(await signIn('100', full)(attempt)).toEqual({ problem: 'busy' });
    const broken = { ...quick, matches: () => Promise.reject(new Error('out of memory')) };
    await expect(signIn('100', broken)(attempt)).rejects.toThrow('out of memory');
  });
});
