import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Ticks of /proc a second; 100 on every Linux that Node runs on. */
const TICKS = 100;

/** What some work cost. */
export interface Cost {
  readonly wallMs: number;
  /** User and system time of this process. */
  readonly ownMs: number;
  /** User and system time of the processes that it started and that have ended. */
  readonly childrenMs: number;
}

/** User and system time of this process, and of ended children of it, in milliseconds. */
function times(): { own: number; children: number } {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  const sum = (first: number) => ((Number(fields[first]) + Number(fields[first + 1])) / TICKS) * 1000;
  return { own: sum(11), children: sum(13) };
}

/** Costs of some work; of children only those count that have ended with it. */
export async function costOf<Result>(work: () => Promise<Result>): Promise<{ cost: Cost; result: Result }> {
  const before = times();
  const started = performance.now();
  const result = await work();
  const wallMs = performance.now() - started;
  // The end of a child is noticed in the next turn.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const after = times();
  return {
    result,
    cost: { wallMs, ownMs: after.own - before.own, childrenMs: after.children - before.children },
  };
}

/** Processor time of some work, in milliseconds. */
export const cpuOfCost = ({ ownMs, childrenMs }: Cost): number => ownMs + childrenMs;

/** The middle one. */
export const median = (values: readonly number[]): number =>
  [...values].sort((one, two) => one - two)[values.length >> 1] ?? 0;

/** A row of a table. */
export const row = (...cells: readonly (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`);

/** The number that follows an option of the command line. */
export const numberOption = (name: string, fallback: number): number =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback);

/** Runs ffmpeg without a sandbox; its output is discarded. */
export async function bareFfmpeg(args: readonly string[]): Promise<void> {
  execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args], { stdio: 'ignore' });
}
