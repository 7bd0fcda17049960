import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies a process uniquely, also among later ones with the same process id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time of the process as the system reports it, since process ids are reused. */
  readonly started: string | null;
  /** The machine (its boot) and the process namespace in which the process id means something. */
  readonly machine: string;
}

/** The identity of this process. */
export function currentProcess(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid), machine: machineId() };
}

/** The machine and the process namespace of this process: processes of another one cannot be seen from here. */
export function machineId(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Whether a process of this machine still runs. */
export function isProcessRunning({ pid, started }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const start = startOf(pid);
  return start === null || started === null || start === started;
}

/** The start time of a process as the system reports it; null where it does not. */
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
