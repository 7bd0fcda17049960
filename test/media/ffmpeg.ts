import { describe, it } from 'vitest';
import { missingPrograms } from '../../src/media/recording/programs.ts';
import { isRequired } from '../required.ts';

const missing = missingPrograms();

/** Whether recordings are read here: ffmpeg and ffprobe are installed, or LIMPEDE_TEST_REQUIRE names `ffmpeg`. */
export const hasFfmpeg = missing.length === 0 || isRequired('ffmpeg');

/** The name of what is skipped where recordings are not read. */
export function skippedName(name: string): string {
  return `${name} (skipped: not installed: ${missing.join(', ')})`;
}

/** A suite that reads recordings: skipped with the reason in its name where nothing does, unless LIMPEDE_TEST_REQUIRE names `ffmpeg`. */
export function describeWithFfmpeg(name: string, suite: () => void): void {
  if (hasFfmpeg) describe(name, suite);
  else describe.skip(skippedName(name), suite);
}

/** A test that reads a recording, skipped by the same rule. */
export function itWithFfmpeg(name: string, test: () => Promise<void>): void {
  if (hasFfmpeg) it(name, test);
  else it.skip(skippedName(name), test);
}
