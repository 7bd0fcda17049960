import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ANONYMOUS } from './bearer-tokens.ts';

const SHARE_HEADER = 'x-caller-share';

/** The schema of the header by which a service names the user it works for, so that a fair queue serves users, not services. */
export function callerShareSchema(work: string) {
  return z.object({
    [SHARE_HEADER]: z
      .string()
      .max(128)
      .optional()
      .describe(`Names the user on whose behalf ${work}: users take turns.`),
  });
}

/** Request headers that may name that user. */
export interface CallerShareHeaders {
  readonly [SHARE_HEADER]?: string | undefined;
}

/** The caller of a request: its token, if it sent one, and its network address. */
interface Requester {
  readonly caller?: { readonly subject: string } | undefined;
  readonly peer: string;
}

/** The headers that name a user to the next service; without one the calling service itself is queued. */
export const callerShareHeaders = (share: string | undefined): Readonly<Record<string, string>> =>
  share === undefined ? {} : { [SHARE_HEADER]: share };

/**
 * The key under which a fair queue counts a request: the user whom the caller names, else the caller, by token or address. The
 * token is part of the key, so that no caller can use up the share of another's users. A hash, so that it can be passed on.
 */
export function fairQueueKey(headers: CallerShareHeaders, { caller, peer }: Requester): string {
  const subject = caller === undefined || caller.subject === ANONYMOUS ? undefined : caller.subject;
  const named = headers[SHARE_HEADER];
  const parts = named === undefined ? [subject ?? peer] : [subject ?? '', named];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
