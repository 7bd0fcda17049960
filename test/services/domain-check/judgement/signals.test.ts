import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../../../src/services/domain-check/judgement/evidence.ts';
import { findSignals, signals } from '../../../../src/services/domain-check/judgement/signals.ts';
import { certificate, evidence, listing, rating, records, registeredAgo, registration } from './samples.ts';

describe('signals', () => {
  const holds: [string, Evidence][] = [
    ['official_block', evidence({ published: { listings: [listing('romania', { official: true })] } })],
    ['listed_offender', evidence({ published: { listings: [listing('fakenews-hosts')] } })],
    [
      'contested_listing',
      evidence({ published: { listings: [listing('fakenews-hosts', { counted: false })] } }),
    ],
    ['weak_listing', evidence({ published: { weakListing: true } })],
    ['rated_unreliable', evidence({ published: { ratings: [rating('mbfc', 'low')] } })],
    ['rated_mixed', evidence({ published: { ratings: [rating('mbfc', 'mixed')] } })],
    [
      'ratings_disagree',
      evidence({ published: { ratings: [rating('mbfc', 'high'), rating('idiap', '0')] } }),
    ],
    ['estimated_unreliable', evidence({ published: { estimate: -0.9 } })],
    ['satire_site', evidence({ published: { satire: true } })],
    ['url_shortener', evidence({ published: { shortener: true } })],
    ['user_generated_platform', evidence({ published: { platform: true } })],
    [
      'registered_after_rating',
      evidence({ published: { ratings: [rating('mbfc', 'high', '2020')] }, registration }),
    ],
    ['lookalike_letters', evidence({ name: { imitation: { kind: 'confusable', of: 'x.com' } } })],
    ['lookalike_suffix', evidence({ name: { imitation: { kind: 'suffix', of: 'x.com' } } })],
    ['brand_with_extra_word', evidence({ name: { imitation: { kind: 'extra_word', of: 'x.com' } } })],
    ['near_well_known_name', evidence({ name: { imitation: { kind: 'typo', of: 'x.com' } } })],
    ['mixed_scripts', evidence({ name: { mixedScripts: true } })],
    ['international_name', evidence({ name: { international: true } })],
    ['cheap_suffix', evidence({ name: { cheapSuffix: true } })],
    ['many_hyphens', evidence({ name: { hyphens: 2 } })],
    ['long_digit_run', evidence({ name: { longestDigitRun: 3 } })],
    ['long_name', evidence({ name: { length: 40 } })],
    ['unlisted_suffix', { ...evidence(), site: { ...evidence().site, suffixKind: 'unlisted' } }],
    ['hosted_name', { ...evidence(), site: { ...evidence().site, suffixKind: 'private' } }],
    ['very_young_domain', evidence({ registration: registeredAgo(29) })],
    ['young_domain', evidence({ registration: registeredAgo(30) })],
    ['recent_domain', evidence({ registration: registeredAgo(364) })],
    ['domain_not_found', evidence({ registration: { ...registration, found: false, registeredAt: null } })],
    ['domain_not_found', evidence({ records: { ...records, found: false, addresses: [] } })],
    ['registry_hold', evidence({ registration: { ...registration, status: ['client hold'] } })],
    ['registry_hold', evidence({ registration: { ...registration, status: ['serverhold'] } })],
    [
      'registration_ending',
      evidence({ registration: { ...registration, expiresAt: '2026-11-01T00:00:00.000Z' } }),
    ],
    ['registration_ending', evidence({ registration: { ...registration, status: ['redemption period'] } })],
    ['parked_domain', evidence({ records: { ...records, nameServers: ['ns1.sedoparking.com'] } })],
    ['no_mail_setup', evidence({ records: { ...records, mail: 'none', spf: false, dmarc: 'absent' } })],
    ['private_address', evidence({ certificateReason: 'private_address' })],
    ['no_https', evidence({ certificate: { ...certificate, encrypted: false, valid: false } })],
    ['certificate_expired', evidence({ certificate: { ...certificate, valid: false, problem: 'expired' } })],
    [
      'certificate_wrong_name',
      evidence({ certificate: { ...certificate, valid: false, problem: 'wrong_name' } }),
    ],
    [
      'certificate_untrusted',
      evidence({ certificate: { ...certificate, valid: false, problem: 'untrusted' } }),
    ],
  ];

  test.each(holds)('%s', (code, sample) => {
    expect(findSignals(sample).map((signal) => signal.code)).toContain(code);
  });

  test('every signal of the table has a case here, a text in both languages and a reason', () => {
    expect(new Set(holds.map(([code]) => code))).toEqual(new Set(signals.map((signal) => signal.code)));
    for (const signal of signals) {
      for (const text of [signal.text_en, signal.text_ro, signal.reason])
        expect(text.length).toBeGreaterThan(10);
      expect(signal.text_ro).not.toMatch(/[şţŞŢ]/);
    }
  });

  test('a healthy site shows none', () => {
    expect(findSignals(evidence({ registration, records, certificate }))).toEqual([]);
  });

  test('what servers did not say is not held against the site', () => {
    const silent = { ...records, mail: null, spf: null, dmarc: null, nameServers: null };
    expect(findSignals(evidence({ records: silent }))).toEqual([]);
  });

  test('a rated site is never called an imitation', () => {
    const sample = evidence({
      published: { ratings: [rating('mbfc', 'high')] },
      name: { imitation: { kind: 'extra_word', of: 'x.com' } },
    });
    expect(findSignals(sample)).toEqual([]);
  });
});
