import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  currentProcess,
  isProcessRunning,
  machineId,
  type ProcessIdentity,
} from '../src/foundation/process-identity.ts';

/** A folder in memory, and the room that it must have in bytes: databases are hundreds of small files, which disks make dear. */
const MEMORY = { folder: '/dev/shm', bytes: 4 * 2 ** 30 } as const;
const PREFIX = 'limpede-tests-';
/** The file in a folder that says whose it is. */
const OWNER = 'owner.json';

/** Where temporary files are kept: in memory where there is room; TMPDIR says otherwise. */
function place(): string {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY.folder)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY.folder);
  return bavail * bsize >= MEMORY.bytes ? MEMORY.folder : tmpdir();
}

function ownerOf(folder: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, OWNER), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Removes the folders of runs that were killed; those of other machines and containers, and of runs that go on, stay. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith(PREFIX))) {
    const owner = ownerOf(join(folder, name));
    if (owner === undefined || owner.machine !== machineId() || isProcessRunning(owner)) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Gives a run of the tests a folder for all its temporary files; what killed runs have left goes first. */
export function openTemporaryFolder(within = place()): { readonly folder: string; remove(): void } {
  sweep(within);
  const folder = mkdtempSync(join(within, PREFIX));
  writeFileSync(join(folder, OWNER), JSON.stringify(currentProcess()));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
