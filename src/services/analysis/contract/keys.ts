import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { dateTime } from '../resources/fields.ts';
import { enveloped, listEnvelope } from './envelope.ts';
import { KEY_SCOPE, listQuery } from './parameters.ts';

const GROUP = 'extension keys';
const KEYS = '/api/extension-keys';
const LONGEST_LABEL = 100;

const scope = z.enum(Object.values(KEY_SCOPE));

const extensionKey = z
  .object({
    id: z.uuid(),
    label: z.string(),
    prefix: z.string().describe('The beginning of the key, to tell keys apart.'),
    scopes: z.array(scope),
    created_at: dateTime,
    expires_at: dateTime.nullable(),
    last_used_at: dateTime.nullable().describe('Exact to a minute.'),
  })
  .meta({ id: 'ExtensionKey' });

const issuedKey = extensionKey
  .extend({ key: z.string().describe('The key itself. It is shown here and never again.') })
  .meta({ id: 'IssuedExtensionKey' });

const keyRequest = z
  .looseObject({
    label: z
      .string()
      .trim()
      .min(1)
      .max(LONGEST_LABEL)
      .refine((value) => !value.includes('\0') && value.isWellFormed(), 'must be text that can be stored')
      .describe('What the key is for, in the words of its owner.'),
    scopes: z
      .array(scope)
      .min(1)
      .max(Object.keys(KEY_SCOPE).length)
      .default(Object.values(KEY_SCOPE))
      .describe('`analyze`: run analyses; `read`: read the owner’s sessions. Both unless said otherwise.'),
    expires_at: dateTime.optional().describe('When the key stops to work; never unless said otherwise.'),
  })
  .meta({ id: 'ExtensionKeyRequest' });

/** Operations on the keys by which a browser extension acts for a user. */
export const keyOperations = defineOperations({
  issueKey: {
    method: 'POST',
    path: KEYS,
    summary: 'Issue a key for a browser extension; it is shown once',
    group: GROUP,
    access: 'bearer',
    body: keyRequest,
    answer: enveloped(issuedKey),
  },
  keys: {
    method: 'GET',
    path: KEYS,
    summary: 'The caller’s keys that were not revoked, newest first',
    group: GROUP,
    access: 'bearer',
    query: listQuery,
    answer: listEnvelope(extensionKey),
  },
  revokeKey: {
    method: 'DELETE',
    path: `${KEYS}/{id}`,
    summary: 'Revoke a key; it opens nothing from then on',
    group: GROUP,
    access: 'bearer',
    params: z.object({ id: z.string().describe('The id of the key.') }),
    answer: enveloped(z.object({ id: z.uuid(), revoked_at: dateTime })),
  },
});
