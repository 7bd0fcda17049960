import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isDiskFull, StartError, systemCode } from './start-error.ts';

/** Free bytes that a start needs: the log of the embedded database takes as much before anything is stored. */
const LEAST_BYTES = 4 * 1024 * 1024;
const OUR_FOLDERS = ['identity', 'database', 'web'];
/** Only its owner may look into the data folder. */
const OWNER_ONLY = 0o700;

/** The stat of a path; undefined when nothing is there, or a parent is a file. */
function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return undefined;
    throw error;
  }
}

/** The folders that are missing, the outermost first; throws when a part of the path is no folder. */
function missingFolders(path: string): string[] {
  const missing: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    const stats = statIfThere(folder);
    if (stats?.isDirectory() === true) return missing;
    if (stats !== undefined)
      throw new StartError(
        `LIMPEDE_HOME is ${path}, but ${folder} is a file: name a folder, or move the file away.`,
      );
    missing.unshift(folder);
  }
}

/** Writes and deletes a file: the only reliable check for permissions, read-only and full disks. */
function tryToWrite(home: string): void {
  const file = join(home, `.write-test-${randomUUID()}`);
  try {
    const handle = openSync(file, 'wx', 0o600);
    try {
      writeSync(handle, Buffer.alloc(LEAST_BYTES));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } finally {
    rmSync(file, { force: true });
  }
}

function refusal(home: string, error: unknown): StartError {
  if (error instanceof StartError) return error;
  if (isDiskFull(error))
    return new StartError(
      `The disk of the data folder ${home} is full: make room, or set LIMPEDE_HOME to a folder on another disk.`,
      error,
    );
  const code = systemCode(error) || (error instanceof Error ? error.message : String(error));
  return new StartError(
    `The data folder ${home} cannot be written to (${code}): set LIMPEDE_HOME to a folder that this user may write to.`,
    error,
  );
}

/** Removes the permissions of other users from a folder that is only ours: empty, or holding our data already. */
function closeToOthers(home: string): void {
  const content = readdirSync(home);
  if (content.length > 0 && !OUR_FOLDERS.some((name) => content.includes(name))) return;
  try {
    chmodSync(home, OWNER_ONLY);
  } catch (error) {
    // A mounted volume of another user, whose permissions we cannot change.
    if (systemCode(error) !== 'EPERM') throw error;
  }
}

/** Makes the data folder where it is missing, its owner's alone, and makes sure that it can be written to. Throws a StartError. */
export function prepareHome(home: string, write: (home: string) => void = tryToWrite): void {
  try {
    // Each folder by itself: making all of them at once never ends below /proc.
    for (const folder of missingFolders(home)) mkdirSync(folder, { mode: OWNER_ONLY });
    closeToOthers(home);
    write(home);
  } catch (error) {
    throw refusal(home, error);
  }
}
