import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  mixesScripts,
  skeleton,
  toPlainLatin,
} from '../../../../src/services/domain-check/name/confusables.ts';
import { nameFacts } from '../../../../src/services/domain-check/name/facts.ts';
import {
  createWellKnownNames,
  isOneEditAway,
  openWellKnownNames,
} from '../../../../src/services/domain-check/name/well-known.ts';
import { readSite } from '../../../../src/services/domain-check/site.ts';

const siteOf = (host: string) => {
  const site = readSite(host);
  if (site === undefined || !('domain' in site)) throw new Error(`${host} is no site`);
  return site;
};

describe('imitations of well-known names', () => {
  const known = openWellKnownNames();
  test.each([
    ['аррӏе.com', 'confusable', 'apple.com'],
    ['g00gle.com', 'confusable', 'google.com'],
    ['rnediafax.ro', 'confusable', 'mediafax.ro'],
    ['digi24-stiri.com', 'extra_word', 'digi24.ro'],
    ['hotnews24.ro', 'extra_word', 'hotnews.ro'],
    ['bbc-news-live.com', 'extra_word', 'bbc.com'],
    ['cnn-trending.com', 'extra_word', 'cnn.com'],
    ['abcnews.com.co', 'suffix', 'abcnews.com'],
    ['washingtonpost.com.co', 'suffix', 'washingtonpost.com'],
    ['adevarul.online', 'suffix', 'adevarul.ro'],
    ['libertatae.ro', 'typo', 'libertatea.ro'],
  ])('%s is %s of %s', (host, kind, of) => {
    expect(known.imitation(siteOf(host))).toEqual({ kind, of });
  });

  test.each([
    'mediafax.ro',
    'bbc.co.uk',
    'example.com',
    'zidulmeu.ro',
    'capital.com',
    'news.xyz',
    'olteniamea.ro',
    'money.co',
    'stiri.ro',
    'bücher.de',
  ])('%s imitates nobody', (host) => {
    expect(known.imitation(siteOf(host))).toBeUndefined();
  });

  test('no well-known name imitates another', () => {
    const names = ['digi24.ro', 'digi24.md', 'hotnews.ro'];
    const few = createWellKnownNames(names);
    for (const name of names) expect(few.imitation(siteOf(name))).toBeUndefined();
  });
});

describe('confusables', () => {
  test.each([
    ['аррӏе', 'apple'],
    ['раураl', 'paypal'],
    ['bücher', 'bucher'],
    ['știri', 'stiri'],
  ])('%s reads like %s', (name, plain) => {
    expect(toPlainLatin(name)).toBe(plain);
  });

  test('one skeleton for all that looks alike', () => {
    expect(skeleton('PAYPAL'.toLowerCase())).toBe(skeleton('раураl'));
    expect(skeleton('rnicrosoft')).toBe(skeleton('microsoft'));
    expect(skeleton('micr0s0ft')).toBe(skeleton('microsoft'));
    expect(skeleton('digi24')).not.toBe(skeleton('digi25'));
  });

  test.each([
    ['paypаl', true],
    ['аррӏе', false],
    ['știri', false],
    ['новости24', false],
  ])('%s mixes alphabets: %s', (label, mixed) => {
    expect(mixesScripts(label)).toBe(mixed);
  });
});

describe('isOneEditAway', () => {
  test.each([
    ['reuters', 'reutres', true],
    ['reuters', 'reuter', true],
    ['reuters', 'rreuters', true],
    ['reuters', 'reutera', true],
    ['reuters', 'reuters', false],
    ['reuters', 'reuetsr', false],
    ['abc', 'cba', false],
  ])('%s and %s: %s', (left, right, near) => {
    expect(isOneEditAway(left, right)).toBe(near);
    expect(isOneEditAway(right, left)).toBe(near);
  });

  test('every single edit is found', () => {
    const word = fc.stringMatching(/^[a-d]{2,8}$/);
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom('a', 'e'), (text, place, letter) => {
        const at = place % text.length;
        const edits = [
          text.slice(0, at) + text.slice(at + 1),
          text.slice(0, at) + letter + text.slice(at),
          text.slice(0, at) + letter + text.slice(at + 1),
        ];
        for (const edit of edits) expect(isOneEditAway(text, edit)).toBe(edit !== text);
      }),
    );
  });
});

test.each([
  ['a-b-c.com', { hyphens: 2, longestDigitRun: 0, cheapSuffix: false, restrictedSuffix: false }],
  ['news2024.xyz', { hyphens: 0, longestDigitRun: 4, cheapSuffix: true }],
  ['xn--bcher-kva.de', { hyphens: 0, international: true, length: 6 }],
  ['www.cdc.gov', { restrictedSuffix: true }],
  ['mai.gov.ro', { restrictedSuffix: true }],
  ['paypаl.com', { mixedScripts: true, international: true }],
  ['digi24.ro', { wellKnown: true, imitation: undefined }],
])('facts of %s', (host, facts) => {
  expect(nameFacts(siteOf(host), openWellKnownNames())).toMatchObject(facts);
});
