import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldedWords } from '../../../../../src/services/analysis/engines/context/phrases.ts';
import { encodingOf } from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { narrativesOf } from '../../../../../src/services/analysis/engines/narratives/engine.ts';
import { passageVector } from '../../../../../src/services/analysis/engines/narratives/passage-vector.ts';
import {
  narrativePassages,
  passageWindows,
} from '../../../../../src/services/analysis/engines/narratives/passages.ts';
import { DIMENSIONS } from '../../../../../src/text/encoder/layers.ts';
import { Positions } from '../../../../../src/text/positions.ts';
import { sentencesOf } from '../../../../../src/text/sentences.ts';
import { packagedEncoder } from '../../../../../training/evaluate/task.ts';

const encode = (text: string, language: string) => encodingOf(packagedEncoder(), { text, language });
const passages = (text: string, language: 'en' | 'ro') =>
  narrativePassages(sentencesOf(text), encode(text, language), language);

function found(text: string, language: string, withVectors = true) {
  return narrativesOf({
    encoding: withVectors ? encode(text, language) : undefined,
    sentences: sentencesOf(text),
    words: foldedWords(text),
    language,
    positions: new Positions(text),
  });
}

/** Asserted by a story or a hint: no sentence of it names a family by itself. */
const STORIES = [
  [
    'en',
    'Watch the sky over your town for a week. First the white lines, then the haze, then everybody coughs. My father farmed for fifty years and never saw lines that stay. Who pays for those planes, and why do they fly only before a clear weekend? They will not tell you. Look up.',
  ],
  [
    'ro',
    'Priviți cerul de deasupra orașului o săptămână. Întâi dungile albe, apoi ceața, apoi tușește toată lumea. Tata a lucrat pământul cincizeci de ani și n-a văzut dungi care rămân. Cine plătește avioanele acelea și de ce zboară doar înainte de un sfârșit de săptămână senin? Nu vă va spune nimeni. Ridicați ochii.',
  ],
] as const;

describe('passages', () => {
  it('are a short text as a whole, and overlapping windows of a longer one', () => {
    expect(passageWindows(0)).toEqual([]);
    expect(passageWindows(6)).toEqual([{ from: 0, to: 6 }]);
    expect(passageWindows(7)).toEqual([
      { from: 0, to: 4 },
      { from: 2, to: 6 },
      { from: 4, to: 7 },
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (count) => {
        const windows = passageWindows(count);
        const read = new Set(windows.flatMap(({ from, to }) => [from, to - 1]));
        expect(windows.every(({ from, to }) => from >= 0 && from < to && to <= count)).toBe(true);
        expect(windows.slice(1).every(({ from }, at) => from < (windows[at]?.to ?? 0))).toBe(true);
        expect([read.has(0), read.has(count - 1)]).toEqual([true, true]);
        expect(windows.length).toBeLessThanOrEqual(Math.max(1, count / 2));
      }),
    );
  });

  it('are mean, first and last vector, the ends by one half', () => {
    const [one, two] = [1, 3].map((value) => new Float32Array(DIMENSIONS).fill(value));
    const vector = passageVector({ vectors: [one as Float32Array, two as Float32Array] });
    expect([vector[0], vector[DIMENSIONS], vector[2 * DIMENSIONS]]).toEqual([2, 0.5, 1.5]);
  });

  it.each(STORIES)('%s: tell what no sentence says by itself', (language, text) => {
    expect(found(text, language, false)).toEqual([]);
    const [narrative, ...others] = found(text, language);
    expect(others).toEqual([]);
    expect(narrative).toMatchObject({ stance: 'asserts', code: 'weather_control' });
    // A probability that this is the family, calm texts counted in: a story is never as plain as an assertion.
    expect(narrative?.confidence).toBeGreaterThan(0.25);
    for (const span of narrative?.spans ?? [])
      expect(text.slice(span.start_utf16, span.end_utf16)).toBe(span.quote);
  });

  it.each(STORIES)(
    '%s: tell it in the middle of a calm text, too, and are quoted from there',
    (language, text) => {
      const calm =
        language === 'en'
          ? 'The library opens at nine. The bus stops at the door. Children borrow three books at a time. '
          : 'Biblioteca se deschide la nouă. Autobuzul oprește la ușă. Copiii împrumută câte trei cărți. ';
      const long = `${calm}${text} ${calm.trim()}`;
      const told = found(long, language).filter(({ stance }) => stance === 'asserts');
      expect(told.length).toBeGreaterThan(0);
      expect(told.every(({ spans }) => spans.some(({ quote }) => text.includes(quote)))).toBe(true);
    },
  );

  it.each([
    [
      'en',
      'A message says that planes over the town spread a poison in white lines. We asked the airport and the weather service. What the photograph shows is frozen vapour, which stays longer in damp air. The flights over the town are on the public timetable.',
    ],
    [
      'ro',
      'Un mesaj spune că avioanele de deasupra orașului împrăștie otravă în dungi albe. Am întrebat aeroportul și serviciul meteo. Fotografia arată vapori înghețați, care țin mai mult în aer umed. Zborurile de deasupra orașului sunt în orarul public.',
    ],
    ['en', 'The library opens at nine. The bus stops at the door. Children borrow three books at a time.'],
    ['ro', 'Biblioteca se deschide la nouă. Autobuzul oprește la ușă. Copiii împrumută câte trei cărți.'],
  ] as const)('%s: tell nothing where it is refuted, or is about something else', (language, text) => {
    expect(passages(text, language).filter(({ tells }) => tells)).toEqual([]);
    expect(found(text, language).filter(({ stance }) => stance === 'asserts')).toEqual([]);
  });

  it.each([
    [
      'en',
      'Consumers are confident and so is business. Company profits are rising. Energy output has grown again. The southern border is being enforced.',
    ],
    [
      'en',
      'We have lost the values that made this country great. My opponent talks about the people, but he never asks them. I will tell you what I believe. The government must learn again to listen.',
    ],
    [
      'ro',
      'Iar au parcat pe trotuar, cu toate că știu bine că nu e voie. Cine le dă dreptul? Strada întreagă a văzut și nimeni n-a zis nimic. Uitați-vă la poză și spuneți-mi dacă omul acesta a dat vreodată un examen.',
    ],
  ] as const)('%s: that press without a family tell no narrative', (language, text) => {
    expect(found(text, language)).toEqual([]);
  });

  it('of a longer text need more evidence, since many passages are many chances', () => {
    const [, text] = STORIES[0];
    const calm =
      'The library opens at nine. The bus stops at the door. Children borrow three books at a time. ';
    const [alone] = found(text, 'en');
    const told = found(`${text} ${calm.repeat(30).trim()}`, 'en').filter(({ code }) => code === alone?.code);
    expect(told[0]?.confidence ?? 0).toBeLessThan(alone?.confidence ?? 0);
  });

  it('of a few words tell nothing', () => {
    expect(passages('Watch the white lines over your town.', 'en').some(({ tells }) => tells)).toBe(false);
  });

  it('say the same without diacritics', () => {
    const [, text] = STORIES[1];
    const plain = text.normalize('NFD').replace(/\p{M}/gu, '');
    const [marked, bare] = [text, plain].map((one) => passages(one, 'ro')[0]);
    expect(bare).toMatchObject({ tells: true, family: marked?.family });
  });
});
