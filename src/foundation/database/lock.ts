import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** How often the holder shows that it lives, for observers that cannot see its process (another machine or container). */
const HEARTBEAT_MS = 2_000;
/** A holder in another machine or container is taken for dead when it showed nothing for this long. */
const SILENCE_MS = 20_000;

interface Holder {
  readonly id: string;
  readonly pid: number;
  /** When the process started, as the system tells it: a process id alone may have been given to another process. */
  readonly started: string | null;
  /** The machine (its boot) and the process namespace in which the process id means something. */
  readonly machine: string;
}

/** A folder that belongs to this process until `release`, or until the process ends. */
export interface FolderLock {
  release(): void;
}

/** The folder is in use by another process. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/**
 * Takes the lock file, or takes it over from a process that died. `onStolen` is called when the file comes to belong to
 * another process although this one lives (somebody deleted it, or this process was stopped for a long time).
 */
export async function lockFolder(file: string, what: string, onStolen: () => void): Promise<FolderLock> {
  const self: Holder = {
    id: randomUUID(),
    pid: process.pid,
    started: startOf(process.pid),
    machine: machine(),
  };
  for (;;) {
    if (tryCreate(file, self)) return hold(file, self, onStolen);
    const text = read(file);
    if (text === undefined) continue;
    const holder = parse(text);
    if (await lives(file, holder)) throw new FolderInUse(inUse(what, holder));
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
  const owns = (): boolean => parse(read(file) ?? '')?.id === self.id;
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
  if (holder?.machine !== machine()) return showsLife(file);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if (!isCode(error, 'EPERM')) return false;
  }
  const started = startOf(holder.pid);
  return started === null || holder.started === null || started === holder.started;
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
    if (read(aside) !== judged) linkSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}

function inUse(what: string, holder: Holder | undefined): string {
  const who = holder ? `process ${holder.pid}` : 'another process';
  const where = !holder || holder.machine === machine() ? '' : ' on another machine or in another container';
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

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function machine(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** The start of a process as the system tells it; null where the system does not. */
function startOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name, may hold spaces and brackets; the start time is the 20th after it.
    return fields.slice(fields.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return startByPs(pid);
  }
}

function startByPs(pid: number): string | null {
  if (process.platform === 'linux' || process.platform === 'win32') return null;
  try {
    const command = ['-o', 'lstart=', '-p', String(pid)];
    return execFileSync('ps', command, { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
