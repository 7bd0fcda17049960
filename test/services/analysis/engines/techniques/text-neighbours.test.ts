import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import {
  createNeighbourReader,
  neighbourLogOdds,
} from '../../../../../src/services/analysis/engines/techniques/text-neighbours.ts';
import { DIMENSIONS } from '../../../../../src/text/encoder/layers.ts';
import { writeModelFile } from '../../../../../src/text/encoder/model-file.ts';

const axis = (at: number, value = 1) => {
  const vector = new Float32Array(DIMENSIONS);
  vector[at] = value;
  return vector;
};
const header = { name: 'test', version: '1', width: 4, scale: 0.01, searched: 1, steepness: 4, prior: 0.1 };
/** Four axes, the first numbers of a vector, and a cell on two of them: a loud sentence in one, a calm and a weak loud one in the other. */
const lists = {
  axes: Float32Array.from([0, 1, 2, 3].flatMap((at) => [...axis(at)])),
  mean_en: new Float32Array(DIMENSIONS),
  mean_ro: axis(0, 0.5),
  cells: Float32Array.from([1, 0, 0, 0, 0, 1, 0, 0]),
  starts: Uint32Array.from([0, 1, 3]),
  places: Int8Array.from([100, 0, 0, 0, 0, 100, 0, 0, 0, 100, 0, 0]),
  counts: Int8Array.from([127, -127, 64]),
};
const file = (changed: Partial<typeof header> = {}) => writeModelFile({ ...header, ...changed }, lists);
const read = createNeighbourReader(file());

describe('the kept sentences nearest to a sentence', () => {
  it('count as they are near and loud or calm, over what no sentence counts', () => {
    expect(read(axis(0), 'en')).toBeCloseTo(Math.log(1.1 / 0.1), 4);
    expect(read(axis(1), 'en')).toBeCloseTo(Math.log((0.1 + 64 / 127) / 1.1), 4);
  });

  it('are searched in the nearest cells alone', () => {
    const both = createNeighbourReader(file({ searched: 2 }));
    const far = Math.exp(-4);
    expect(both(axis(0), 'en')).toBeCloseTo(Math.log((1.1 + (far * 64) / 127) / (0.1 + far)), 4);
  });

  it('are searched in the nearest of many cells, wherever these stand', () => {
    // One cell an axis, one sentence in each: loud, calm, loud, calm. The vector lies nearest to the fourth, then to the second.
    const spread = [0, 1, 2, 3].flatMap((at) => [0, 1, 2, 3].map((column) => (column === at ? 1 : 0)));
    const many = {
      ...lists,
      cells: Float32Array.from(spread),
      starts: Uint32Array.from([0, 1, 2, 3, 4]),
      places: Int8Array.from(spread.map((value) => 100 * value)),
      counts: Int8Array.from([127, -127, 127, -127]),
    };
    const vector = new Float32Array(DIMENSIONS);
    vector.set([0.1, 0.5, 0.3, 0.8]);
    const shareOf = (value: number) => Math.exp(4 * (value / Math.hypot(0.1, 0.5, 0.3, 0.8) - 1));
    const [one, two, three, four] = [shareOf(0.1), shareOf(0.5), shareOf(0.3), shareOf(0.8)];
    const searched = (count: number) =>
      createNeighbourReader(writeModelFile({ ...header, searched: count }, many))(vector, 'en');
    expect(searched(1)).toBeCloseTo(Math.log(0.1 / (0.1 + four)), 2);
    expect(searched(2)).toBeCloseTo(Math.log(0.1 / (0.1 + four + two)), 2);
    expect(searched(3)).toBeCloseTo(Math.log((0.1 + three) / (0.1 + four + two)), 2);
    expect(searched(4)).toBeCloseTo(Math.log((0.1 + three + one) / (0.1 + four + two)), 2);
  });

  it('are compared less the mean of the language', () => {
    expect(read(axis(0, 0.5), 'ro')).toBeCloseTo(read(new Float32Array(DIMENSIONS), 'en'), 6);
    expect(read(axis(0), 'ro')).toBeCloseTo(read(axis(0), 'en'), 4);
  });

  it('must fit together', () => {
    const cut = writeModelFile(header, { ...lists, counts: Int8Array.from([127]) });
    expect(() => createNeighbourReader(cut)).toThrow('damaged');
    expect(() => createNeighbourReader(readFileSync(packageFile('package.json')))).toThrow();
  });

  it('say something finite of every vector', () => {
    const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(numbers, fc.constantFrom('en' as const, 'ro' as const), (some, language) => {
        const vector = new Float32Array(DIMENSIONS);
        vector.set(some);
        expect(Number.isFinite(neighbourLogOdds(vector, language))).toBe(true);
      }),
    );
  });
});
