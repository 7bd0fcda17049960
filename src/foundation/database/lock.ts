import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { currentProcess, isProcessRunning, machineId, type ProcessIdentity } from '../process-identity.ts';

/** How often the holder touches the file as a sign of life, for processes on other machines or in other containers. */
const HEARTBEAT_MS = 2_000;
/** A holder on another machine or in another container counts as dead without a sign of life for this long. */
const SILENCE_MS = 20_000;

interface Holder extends ProcessIdentity {
  readonly id: string;
}

/** A folder that belongs to this process until `release`, or until the process ends. */
export interface FolderLock {
  release(): void;
}

/** The folder is in use by another process. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/**
 * Takes the lock file, or takes it over from a process that died. `onStolen` is called when the file comes to belong to
 * another process although this one lives (the file was deleted, or this process was stopped for a long time).
 */
export async function lockFolder(file: string, what: string, onStolen: () => void): Promise<FolderLock> {
  const self: Holder = {
    id: randomUUID(),
    ...currentProcess(),
  };
  for (;;) {
    if (tryCreate(file, self)) return hold(file, self, onStolen);
    const text = readIfThere(file);
    if (text === undefined) continue;
    const holder = parse(text);
    if (await lives(file, holder)) throw new FolderInUseError(inUse(what, holder));
    removeStale(file, text);
  }
}

function tryCreate(file: string, self: Holder): boolean {
  try {
    writeFileSync(file, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function hold(file: string, self: Holder, onStolen: () => void): FolderLock {
  const owns = (): boolean => parse(readIfThere(file) ?? '')?.id === self.id;
  const timer = setInterval(() => {
    if (owns()) {
      const now = new Date();
      utimes(file, now, now).catch(() => undefined);
      return;
    }
    clearInterval(timer);
    onStolen();
  }, HEARTBEAT_MS);
  timer.unref();
  return {
    release() {
      clearInterval(timer);
      if (owns()) rmSync(file, { force: true });
    },
  };
}

async function lives(file: string, holder: Holder | undefined): Promise<boolean> {
  if (holder?.machine !== machineId()) return showsLife(file);
  return isProcessRunning(holder);
}

/** Watches the heartbeat instead of comparing clocks, which may differ between machines. */
async function showsLife(file: string): Promise<boolean> {
  const modified = (): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const first = modified();
  const end = performance.now() + SILENCE_MS;
  while (performance.now() < end) {
    await pause(HEARTBEAT_MS / 4);
    if (modified() !== first) return modified() !== undefined;
  }
  return false;
}

/**
 * Removes the file only if it still is the one that was judged: two processes may find the same dead holder, and the
 * slower one must not remove the lock that the faster one has made meanwhile.
 */
function removeStale(file: string, judged: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    if (readIfThere(aside) !== judged) linkSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}

function inUse(what: string, holder: Holder | undefined): string {
  const who = holder ? `process ${holder.pid}` : 'another process';
  const where =
    !holder || holder.machine === machineId() ? '' : ' on another machine or in another container';
  return `${what} is in use by ${who}${where}. The embedded database belongs to one process: stop that one first, give this one a folder of its own (LIMPEDE_HOME), or set DATABASE_URL so that several can share a PostgreSQL server.`;
}

function parse(text: string): Holder | undefined {
  try {
    const value = JSON.parse(text) as Partial<Holder>;
    const { id, pid, started = null, machine } = value;
    if (typeof id !== 'string' || typeof pid !== 'number' || typeof machine !== 'string') return undefined;
    return { id, pid, started, machine };
  } catch {
    return undefined;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
