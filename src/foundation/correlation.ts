import { randomUUID } from 'node:crypto';

/** Which correlation ids of callers a service accepts: UUIDs only, or any short printable text. */
export type CorrelationForm = 'uuid' | 'any';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Longest id that is accepted, in characters; every tracing id in use fits. */
const PRINTABLE = /^[\x21-\x7e]{1,128}$/;

/** The caller's id where it has the form, else a new UUID. */
export function correlationIdOf(
  header: string | readonly string[] | undefined,
  form: CorrelationForm,
): string {
  if (typeof header !== 'string') return randomUUID();
  if (form === 'any') return PRINTABLE.test(header) ? header : randomUUID();
  return UUID.test(header) ? header.toLowerCase() : randomUUID();
}
