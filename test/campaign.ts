import { appendFileSync } from 'node:fs';
import { inject } from 'vitest';

/** How this run of the tests was started; see test/setup.ts. */
export interface CampaignRun {
  /** The seed of everything that is chosen by chance; LIMPEDE_TEST_SEED repeats it. */
  readonly seed: number;
  /** Whether campaigns run whole (`npm run test:long`), or a sample of each (`npm test`). */
  readonly long: boolean;
  /** The file of summary lines, which are printed at the end. */
  readonly summaries: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    campaigns: CampaignRun;
  }
}

/** In a long run, so many times as many cases of a property are tried. */
const LONG_FACTOR = 20;

const run = inject('campaigns');

/** Runs of a property of fast-check: more in a long run. Its seed is that of the run. */
export function runs(sample: number): number {
  return run.long ? sample * LONG_FACTOR : sample;
}

/** A test that grows with the time it may take: kill rounds, races, tables, hostile files, soaks. */
export interface Campaign {
  readonly long: boolean;
  /** How often to repeat: the first number in a sample, the second in a long run. */
  rounds(sample: number, long: number): number;
  /** Some cases, chosen by the seed and in their order; all of them in a long run. */
  pick<Case>(cases: readonly Case[], sample: number): Case[];
  /** A whole number from `from` to `to`, both included, chosen by the seed. */
  integer(from: number, to: number): number;
  /** Adds the summary line that is printed at the end of the run. */
  summary(text: string): void;
}

/** Starts a campaign; its choices follow from the seed of the run and its name. */
export function startCampaign(name: string): Campaign {
  const random = randomFrom(
    [...name].reduce((hash, letter) => Math.imul(hash, 31) + letter.charCodeAt(0), run.seed),
  );
  const integer = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  return {
    long: run.long,
    rounds: (sample, long) => (run.long ? long : sample),
    pick: (cases, sample) => {
      if (run.long || sample >= cases.length) return [...cases];
      const chosen = new Set<number>();
      while (chosen.size < sample) chosen.add(integer(0, cases.length - 1));
      return cases.filter((_, index) => chosen.has(index));
    },
    integer,
    summary: (text) => appendFileSync(run.summaries, `${name}: ${text}\n`),
  };
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
