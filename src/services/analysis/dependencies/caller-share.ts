import { createHash } from 'node:crypto';

/** Long enough that two accounts never meet, in hexadecimal digits. */
const KEY_LENGTH = 32;

/**
 * Names the user to a service that users share, so that it can be fair between them: a key that does not
 * reveal the account to those who do not know it.
 */
export function callerShare(account: string): { 'x-caller-share': string } {
  return { 'x-caller-share': createHash('sha256').update(account).digest('hex').slice(0, KEY_LENGTH) };
}

/** On whose behalf a service is asked, and until when. */
export interface CallContext {
  readonly account: string;
  readonly correlationId: string;
  readonly signal: AbortSignal;
}
