import { describe, expect, it } from 'vitest';
import { parseText } from '../../../../../src/services/analysis/engines/context/parsed-text.ts';
import { sourcingOf } from '../../../../../src/services/analysis/engines/context/sourcing.ts';

/** The share of statements that no source carries. */
function missing(text: string, language: string, isLure = false): number | null {
  const parsed = parseText({ text, title: null, language, flags: [], satirical_source: false });
  return sourcingOf(parsed, isLure).missing;
}

const BANK =
  'At Northfield Bank we are changing our opening hours this spring. From 1 March our branches open at nine in the morning.';

describe('statements whose issuer is named', () => {
  it.each([
    [
      'en',
      'The Met Office has issued an amber warning for the coast. Gusts of 80 miles an hour are expected there tonight.',
    ],
    ['en', BANK],
    [
      'en',
      'Ashford Borough Council: the bins of Mill Road are emptied on Friday. The tip stays open until six every day.',
    ],
    [
      'en',
      'Dear readers, Hillside Library informs you that the doors open at ten. All books may be kept for four weeks now.',
    ],
    [
      'ro',
      'RO-ALERT: furtuni puternice în județul Cluj până la ora 20. Copacii și stâlpii pot cădea pe drumurile din zonă.',
    ],
    [
      'ro',
      'Primăria Sibiu vă informează că piața se închide la ora 15. Tramvaiele vor circula pe strada de alături.',
    ],
    [
      'ro',
      'La Banca Exemplu avem de luni un program nou de lucru. Sucursalele noastre se deschid la ora nouă dimineața.',
    ],
    [
      'ro',
      'Administrația meteorologică a emis o avertizare de vânt puternic. Rafalele vor ajunge la 90 de kilometri pe oră.',
    ],
  ])('have a source (%s): %s', (language, text) => expect(missing(text, language)).toBe(0));

  it.each([
    [
      'en',
      'We all know what the banks are doing to our savings. They close our accounts one after the other.',
    ],
    [
      'en',
      'Northfield Bank is closing all of its branches in the county. From March nobody gets any money there.',
    ],
    [
      'ro',
      'Banca Exemplu închide toate sucursalele din județul nostru. De luni nimeni nu mai primește niciun ban acolo.',
    ],
  ])('have none where others are spoken of (%s): %s', (language, text) =>
    expect(missing(text, language)).toBe(1),
  );

  it('have none in a lure, which takes any name', () => expect(missing(BANK, 'en', true)).toBe(1));
});
