import { execFileSync } from 'node:child_process';
import { packageFile } from '../src/foundation/files.ts';

/** Builds the workers and the program once, so that tests run what users run. */
export default function setup(): void {
  execFileSync(process.execPath, [packageFile('scripts', 'build.mjs')], { stdio: 'inherit' });
}
