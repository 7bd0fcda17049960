import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start programs, or wait for faults and limits, for tens of seconds. */
const LONG = [
  /^degradation\//,
  /^soak\/soak/,
  /^platform/,
  /^start-errors/,
  /^cli\/limpede/,
  /^services\/analysis\/chaos-/,
  /^hostile\//,
  /^judgement\//,
  /^services\/forensic\/service/,
];

/**
 * Long files begin first, so that none of them runs alone at the end. Those that ran before are in the order of their times, the longest
 * first; where nothing ran yet the order of Vitest is that of sizes, which say little.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const folder = join(this.ctx.config.root, 'test');
    const placeOf = ({ moduleId }: TestSpecification) => {
      const path = relative(folder, moduleId);
      const place = LONG.findIndex((pattern) => pattern.test(path));
      return place === -1 ? LONG.length : place;
    };
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
