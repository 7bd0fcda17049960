import { describe, expect, it } from 'vitest';
import { marginals } from '../../../../../src/services/analysis/engines/techniques/crf.ts';
import {
  combinedLabelChances,
  encoderScores,
  sentenceInputs,
  tokenInputs,
} from '../../../../../src/services/analysis/engines/techniques/encoder-scores.ts';
import { sentenceRanges, tokenise } from '../../../../../src/services/analysis/engines/techniques/tokens.ts';

const LABELS = 2;
/** Inside, two names, any, two labels. */
const COLUMNS = 6;

/** Pieces of three characters each, up to `end`; each column of a piece is its number and a hundredth of the column. */
function pieces(end: number) {
  const count = Math.ceil(end / 3);
  const bounds = Uint32Array.from({ length: 2 * count }, (_, at) => 3 * ((at + 1) >> 1));
  const numbers = Float32Array.from(
    { length: count * COLUMNS },
    (_, at) => Math.floor(at / COLUMNS) + (at % COLUMNS) / 100,
  );
  return { bounds, columns: COLUMNS, numbers };
}

const text = 'abcdef ghi. Jklm nop.';
const tokens = tokenise(text);
const sentences = sentenceRanges(text, tokens);

describe('readClosely', () => {
  it('gives tokens, spans and sentences the means of the pieces that they overlap', () => {
    const close = encoderScores(pieces(text.length), tokens, sentences, LABELS);
    // "abcdef" has pieces 0 and 1, "ghi" those from 2 on up to 3.
    expect(close.inside[0]).toBeCloseTo(0.5, 5);
    expect(close.inside[1]).toBeCloseTo(2.5, 5);
    expect([...close.labelScores({ from: 0, to: 2 })].map((value) => value.toFixed(2))).toEqual([
      '1.51',
      '1.52',
    ]);
    expect(close.anyTechnique[0]).toBeCloseTo(1.5 + 0.03, 5);
    expect([...close.sentenceLabelScores(1)].map((value) => value.toFixed(2))).toEqual(['5.04', '5.05']);
  });

  it('knows nothing where no piece was read, and leaves the rest as it is', () => {
    const close = encoderScores(pieces(9), tokens, sentences, LABELS);
    expect(close.anyTechnique[0]).not.toBeNaN();
    expect(close.anyTechnique[1]).toBeNaN();
    expect([...close.labelScores({ from: 4, to: 5 })]).toEqual([0, 0]);
    const chain = marginals({ length: 3, enter: new Float64Array(3), stay: new Float64Array(3), leave: 0 });
    const inputs = sentenceInputs(close, sentences, {
      logits: new Float64Array(2),
      chains: [chain, chain],
    });
    expect(inputs[0]?.every(Number.isFinite)).toBe(true);
    expect(inputs[1]).toBeUndefined();
    const cut = encoderScores(pieces(6), tokens, sentences, LABELS);
    const rows = tokenInputs(cut, { from: 0, to: 3 }, Float64Array.of(0.2, 0.3, 0.4), 0.1);
    expect(rows.flatMap((row) => [...row]).every(Number.isFinite)).toBe(true);
  });
});

describe('closeNames', () => {
  it('gives chances that add up to 1 and follow both readings', () => {
    const names = combinedLabelChances(
      [1, 0.5, 0.5, 0, 0],
      Float64Array.of(0.5, 0.5),
      Float64Array.of(2, 0),
      Float64Array.of(0, 1),
    );
    expect((names[0] ?? 0) + (names[1] ?? 0)).toBeCloseTo(1, 9);
    expect(names[0]).toBeGreaterThan(names[1] ?? 0);
  });
});
