import { describe, expect, it } from 'vitest';
import { EMPTY_RECORDING } from '../../../../src/services/analysis/resources/recording.ts';
import {
  addTimes,
  appendText,
  joinWords,
  publicRecording,
  timesOf,
} from '../../../../src/services/analysis/session/timed-text.ts';

const SAID = [
  { startSec: 0.5, endSec: 2, text: ' Apa  e 🙂 limpede.' },
  { startSec: 2.1, endSec: 4, text: 'Vine ploaia.' },
  { startSec: 4.2, endSec: 4.4, text: '  ' },
  { startSec: 9, endSec: 11.0004, text: 'Mâine nu.' },
];
const heard = joinWords(SAID, 'speech', 1_000);

describe('words with times', () => {
  it('become one text, a line of its own after a pause, whose places count in code points', () => {
    expect(heard.text).toBe('Apa e 🙂 limpede. Vine ploaia.\nMâine nu.');
    const points = [...heard.text];
    expect(heard.passages.map(({ start, end }) => points.slice(start, end).join(''))).toEqual([
      'Apa e 🙂 limpede.',
      'Vine ploaia.',
      'Mâine nu.',
    ]);
    expect(heard.passages.at(-1)).toMatchObject({ kind: 'speech', start_s: 9, end_s: 11 });
  });

  it('that do not fit are left out whole', () => {
    const cut = joinWords(SAID, 'speech', 20);
    expect(cut.text).toBe('Apa e 🙂 limpede.');
    expect(cut.passages).toHaveLength(1);
  });

  it('that are shown stand after those that are said', () => {
    const shown = joinWords([{ startSec: 1, endSec: 6, text: 'EXCLUSIV' }], 'screen', 100);
    const both = appendText(heard, shown);
    const [place] = both.passages.slice(-1);
    expect([...both.text].slice(place?.start, place?.end).join('')).toBe('EXCLUSIV');
    expect(appendText({ text: '', passages: [] }, shown)).toBe(shown);
    expect(appendText(heard, { text: '', passages: [] })).toBe(heard);
  });
});

describe('the time of a quote', () => {
  it.each([
    [
      { start: 6, end: 15 },
      { start_s: 0.5, end_s: 2 },
    ],
    [
      { start: 10, end: 25 },
      { start_s: 0.5, end_s: 4 },
    ],
    [
      { start: 0, end: 40 },
      { start_s: 0.5, end_s: 11 },
    ],
  ])('%o is that of the passages that it touches', (span, times) => {
    expect(timesOf(span, heard.passages)).toEqual(times);
  });

  it('is none where nothing is said', () => {
    expect(timesOf({ start: 400, end: 410 }, heard.passages)).toBeUndefined();
  });

  it('stands beside each quote of a finding and nowhere else', () => {
    const span = { start: 0, end: 3, start_utf16: 0, end_utf16: 3, quote: 'Apa' };
    const finding = { score: 1, items: [{ spans: [span], at: { start: 1, end: 2 } }], none: null };
    expect(addTimes(finding, heard.passages)).toEqual({
      score: 1,
      items: [{ spans: [{ ...span, start_s: 0.5, end_s: 2 }], at: { start: 1, end: 2 } }],
      none: null,
    });
    expect(addTimes(finding, [])).toBe(finding);
  });
});

it('a session shows the words of each passage', () => {
  const shown = publicRecording({ ...EMPTY_RECORDING, passages: [...heard.passages] }, heard.text);
  expect(shown.transcript.map(({ text }) => text)).toEqual([
    'Apa e 🙂 limpede.',
    'Vine ploaia.',
    'Mâine nu.',
  ]);
  expect(shown).not.toHaveProperty('passages');
});
