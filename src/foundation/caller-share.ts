import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ANONYMOUS } from './bearer-tokens.ts';

const SHARE_HEADER = 'x-caller-share';

/** Headers of an operation whose callers take turns, by user rather than by service. */
export function callerHeaders(work: string) {
  return z.object({
    [SHARE_HEADER]: z
      .string()
      .max(128)
      .optional()
      .describe(`Names the user on whose behalf ${work}: users take turns.`),
  });
}

/** What such headers hold. */
export interface CallerHeaders {
  readonly [SHARE_HEADER]?: string | undefined;
}

/** Who makes a request, as its connection and its token tell. */
interface Requester {
  readonly caller?: { readonly subject: string } | undefined;
  readonly peer: string;
}

/** Headers that name a user to the next service; without one the service that asks has a turn of its own. */
export const shareHeaders = (share: string | undefined): Readonly<Record<string, string>> =>
  share === undefined ? {} : { [SHARE_HEADER]: share };

/**
 * Whose turn a request takes: that of the user whom its caller names, else that of the caller, known by its token or its address. A
 * caller with a token never takes the turns of another's users. The name is a hash, so that it can be handed on as it is.
 */
export function callerOf(headers: CallerHeaders, { caller, peer }: Requester): string {
  const subject = caller === undefined || caller.subject === ANONYMOUS ? undefined : caller.subject;
  const named = headers[SHARE_HEADER];
  const parts = named === undefined ? [subject ?? peer] : [subject ?? '', named];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
