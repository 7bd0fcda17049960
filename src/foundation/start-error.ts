/** The process cannot start; the message says in one sentence why, and what to do. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StartError';
  }
}

/** The code of a system error, such as ENOSPC; empty for any other error. */
export function systemCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

const DISK_FULL = /ENOSPC|EDQUOT|No space left on device/i;

/** Whether an error, or one behind it, comes from a disk without room. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return DISK_FULL.test(systemCode(error)) || DISK_FULL.test(error.message) || isDiskFull(error.cause);
}
