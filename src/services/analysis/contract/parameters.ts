import { z } from 'zod';

/** Not checked as a UUID: an id of another form is answered as an unknown session. */
export const sessionParams = z.object({ sessionId: z.string().describe('The session.') });

/** The header that makes a repeated request have a single effect. */
export const idempotency = z.looseObject({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The same key and body give the same session; the same key with another body is refused.'),
});

/** Which part of a short list; all of it unless said otherwise. */
export const listQuery = z.object({
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(100),
});

/** Who may change how the service works. */
export const ADMIN = { roles: ['admin'] } as const;

/** What an extension key may be used for: analyses, and its owner's sessions. */
export const KEY_SCOPE = { analyze: 'analyze', read: 'read' } as const;
