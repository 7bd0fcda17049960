import { randomUUID } from 'node:crypto';

/** Which ids of callers a service takes over: UUIDs, or any short printable word. */
export type CorrelationForm = 'uuid' | 'any';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** It is logged, echoed and forwarded: 128 characters hold every tracing id in use. */
const PRINTABLE = /^[\x21-\x7e]{1,128}$/;

/** The caller's id where it has the form, else a new UUID. */
export function correlationOf(header: string | readonly string[] | undefined, form: CorrelationForm): string {
  if (typeof header !== 'string') return randomUUID();
  if (form === 'any') return PRINTABLE.test(header) ? header : randomUUID();
  return UUID.test(header) ? header.toLowerCase() : randomUUID();
}
