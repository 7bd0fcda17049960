import { describe, expect, it } from 'vitest';
import { listFigures, type Shown } from '../../../../training/evaluate/tasks/techniques.ts';

const article = {
  doc: 'one',
  spans: [
    { startUtf16: 0, endUtf16: 10, label: 'Doubt' },
    { startUtf16: 40, endUtf16: 50, label: 'Slogans' },
  ],
};
const finding = (code: string, confidence: number, start_utf16: number, end_utf16: number) => ({
  code,
  confidence,
  spans: [{ start_utf16, end_utf16, confidence }],
});
const shownWith = (...findings: ReturnType<typeof finding>[]) =>
  [{ article, findings }] as unknown as Shown[];

const valueNamed = (shown: Shown[], metric: string) =>
  listFigures('en', shown).find((figure) => figure.metric === metric)?.value;

describe('figures of the list', () => {
  it('hold what it finds, and how far its confidences are probabilities', () => {
    const shown = shownWith(finding('doubt', 0.75, 0, 10), finding('slogans', 0.25, 10, 20));
    expect(valueNamed(shown, 'span F1 of the list')).toBeCloseTo(0.5, 10);
    // One passage right at 0.75, one wrong at 0.25; both techniques stand in the article.
    expect(valueNamed(shown, 'calibration error of listed passages')).toBeCloseTo(0.25, 10);
    expect(valueNamed(shown, 'calibration error of listed techniques')).toBeCloseTo(0.5, 10);
  });

  it('leave out techniques that annotators had no label for', () => {
    const shown = shownWith(finding('appeal_to_time', 0.9, 0, 10));
    expect(valueNamed(shown, 'span F1 of the list')).toBeGreaterThan(0);
    expect(valueNamed(shown, 'calibration error of listed passages')).toBeUndefined();
  });
});
