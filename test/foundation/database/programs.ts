import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { packageFile } from '../../../src/foundation/files.ts';
import { BRIEF_PROCESS } from '../../brief-process.ts';

/** A program of the tests in a process of its own. */
export interface TestProgram {
  readonly pid: number;
  /** The lines that it has printed so far. */
  readonly lines: readonly string[];
  /** Resolves when it printed a line that fits; rejects when it ended before. */
  printed(fits: (line: string) => boolean): Promise<string>;
  /** Kills it with SIGKILL and resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves with its standard error when it ended by itself. */
  ended(): Promise<{ code: number | null; errors: string }>;
}

const bundled = new Map<string, string>();

/** The bundle of a program by its path from test/: one that is compiled at each start takes three times the processor time. */
function bundleOf(path: string): string {
  const known = bundled.get(path);
  if (known !== undefined) return known;
  const outfile = packageFile('dist', 'tests', `${path.replace(/\W/g, '-')}-${process.pid}.js`);
  buildSync({
    entryPoints: [fileURLToPath(new URL(`../../${path}`, import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  process.once('exit', () => rmSync(outfile, { force: true }));
  bundled.set(path, outfile);
  return outfile;
}

/** Starts a program of the tests, written in TypeScript, by its path from test/. */
export function startProgram(path: string, args: readonly string[]): TestProgram {
  const child = spawn(process.execPath, [...BRIEF_PROCESS, bundleOf(path), ...args]);
  const lines: string[] = [];
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    pid: pidOf(child),
    lines,
    printed: (fits) =>
      new Promise((resolve, reject) => {
        const early = lines.find(fits);
        if (early !== undefined) resolve(early);
        reader.on('line', (line) => fits(line) && resolve(line));
        closed.then((code) => reject(new Error(`the program ended with ${code}: ${errors}`)));
      }),
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    ended: async () => ({ code: await closed, errors }),
  };
}

function pidOf(child: ChildProcessWithoutNullStreams): number {
  if (child.pid === undefined) throw new Error('the program did not start');
  return child.pid;
}
