import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/foundation/auth.ts';
import { Failure } from '../../../../src/foundation/errors.ts';
import { parseAllowList } from '../../../../src/foundation/http/allow-list.ts';
import {
  codePointLength,
  type IntakeRules,
  intake,
} from '../../../../src/services/analysis/pipeline/intake.ts';
import type { AnalyzeRequest } from '../../../../src/services/analysis/resources/analyze-request.ts';
import { codePoint } from '../../../code-points.ts';

const caller: Caller = {
  subject: 'ana',
  email: 'ana@example.org',
  realm: 'clients',
  roles: ['user'],
  planCap: null,
  application: null,
};
const rules: IntakeRules = {
  mode: 'production',
  allow: parseAllowList([]),
  isStored: (address) => address.startsWith('http://platform.internal/media/'),
};
const long = 'A text that is long enough.';

function codeOf(request: AnalyzeRequest, given: Partial<IntakeRules> = {}): string {
  try {
    intake(request, caller, { ...rules, ...given });
    return 'accepted';
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

describe('intake', () => {
  it.each<[string, AnalyzeRequest, string]>([
    ['19 characters', { media_type: 'text', text: 'a'.repeat(19) }, 'text_length'],
    ['20 characters', { media_type: 'text', text: 'a'.repeat(20) }, 'accepted'],
    ['50000 characters', { media_type: 'text', text: 'a'.repeat(50_000) }, 'accepted'],
    ['50001 characters', { media_type: 'text', text: 'a'.repeat(50_001) }, 'text_length'],
    ['20 emoji of two units each', { media_type: 'text', text: '😀'.repeat(20) }, 'accepted'],
    ['50000 emoji', { media_type: 'text', text: '😀'.repeat(50_000) }, 'accepted'],
    ['19 emoji', { media_type: 'text', text: '😀'.repeat(19) }, 'text_length'],
    ['white space alone', { media_type: 'text', text: ' \n'.repeat(30) }, 'text_length'],
    ['an empty text', { media_type: 'text', text: '' }, 'text_length'],
    ['no text', { media_type: 'text' }, 'media_type_mismatch'],
    ['text without its field', { media_type: 'text', url: 'https://example.org' }, 'media_type_mismatch'],
    ['url without its field', { media_type: 'url', text: long }, 'media_type_mismatch'],
    [
      'an image without its field',
      { media_type: 'image', url: 'https://example.org/a.png' },
      'media_type_mismatch',
    ],
    ['a NUL', { media_type: 'text', text: `${long}\0` }, 'validation_failed'],
    ['half a surrogate pair', { media_type: 'text', text: `${long}\ud800` }, 'validation_failed'],
    ['a NUL in another field', { media_type: 'text', text: long, user_id: 'a\0b' }, 'validation_failed'],
    [
      'a video of 181 seconds',
      { media_type: 'video', media_url: 'https://example.org/v', media_duration_sec: 181 },
      'media_too_long',
    ],
    [
      'a sound of 421 seconds',
      { media_type: 'audio', media_url: 'https://example.org/a', media_duration_sec: 421 },
      'media_too_long',
    ],
    [
      'a video of 180 seconds',
      { media_type: 'video', media_url: 'https://example.org/v', media_duration_sec: 180 },
      'accepted',
    ],
    ['a picture inside', { media_type: 'image', media_url: 'http://127.0.0.1/p.png' }, 'url_not_allowed'],
    ['a file address', { media_type: 'url', url: 'file:///etc/passwd' }, 'url_not_allowed'],
    ['no address', { media_type: 'url', url: 'not a url' }, 'url_not_allowed'],
    ['loopback', { media_type: 'url', url: 'http://127.0.0.1/' }, 'url_not_allowed'],
    ['loopback in disguise', { media_type: 'url', url: 'http://0x7f000001/' }, 'url_not_allowed'],
    ['the metadata service', { media_type: 'url', url: 'http://169.254.169.254/latest' }, 'url_not_allowed'],
    ['a password', { media_type: 'url', url: 'https://a:b@example.org/' }, 'url_not_allowed'],
    ['a web page', { media_type: 'url', url: 'https://example.org/a?b=c' }, 'accepted'],
    [
      'every component left out',
      { media_type: 'text', text: long, skip_components: ['techniques', 'ai_tampered', 'claims', 'domain'] },
      'validation_failed',
    ],
    ['an empty list of components', { media_type: 'text', text: long, components: [] }, 'validation_failed'],
  ])('%s', (_name, request, code) => {
    expect(codeOf(request)).toBe(code);
  });

  it('lets the operator open private hosts', () => {
    const allow = parseAllowList(['127.0.0.1:8080']);
    expect(codeOf({ media_type: 'url', url: 'http://127.0.0.1:8080/a' }, { allow })).toBe('accepted');
    expect(codeOf({ media_type: 'url', url: 'http://127.0.0.1:8081/a' }, { allow })).toBe('url_not_allowed');
  });

  it('takes the user from the token, and from the body in staging alone', () => {
    const request: AnalyzeRequest = { media_type: 'text', text: long, user_id: 'ion' };
    expect(intake(request, caller, rules)).toMatchObject({
      userId: 'ana',
      account: 'clients/ana',
      userEmail: 'ana@example.org',
    });
    expect(intake(request, caller, { ...rules, mode: 'staging' })).toMatchObject({
      userId: 'ion',
      userEmail: null,
    });
  });

  it.each([
    [undefined, null, 1],
    [undefined, 4, 4],
    [6, null, 6],
    [6, 2, 2],
    [1, 5, 1],
  ])('plan %s of a caller capped at %s is %s', (plan_type, planCap, expected) => {
    const request: AnalyzeRequest = {
      media_type: 'text',
      text: long,
      ...(plan_type !== undefined && { plan_type }),
    };
    expect(intake(request, { ...caller, planCap }, rules).planType).toBe(expected);
  });

  it('names what the request left out', () => {
    const made = intake(
      { media_type: 'text', text: long, components: ['claims', 'techniques'], skip_components: ['claims'] },
      caller,
      rules,
    );
    expect(made.components).toEqual(['techniques']);
    expect(made.skipped.map(({ component }) => component)).toEqual(['ai_tampered', 'claims', 'domain']);
  });

  it('hashes what a reader would call the same text to the same', () => {
    const hash = (text: string) => intake({ media_type: 'text', text }, caller, rules).inputHash;
    expect(hash('Un  text\n cu spații destule.')).toBe(hash('Un text cu spații destule.'));
    expect(hash('Un text cu spațiu destul.')).not.toBe(hash('Un text cu spații destule.'));
    expect(hash(long)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('counts code points as the language does', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(codePointLength(text)).toBe([...text].length);
      }),
    );
  });
});
