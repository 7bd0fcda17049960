import { z } from 'zod';
import { auditSettings } from '../../foundation/database/retention.ts';
import { integer, list, optionalText, text } from '../../foundation/settings.ts';
import { proxySecretSetting } from '../../foundation/trusted-proxy.ts';

/** Settings of the embedded provider. */
export const identitySettings = z.object({
  IDENTITY_REDIRECT_URIS: list().describe(
    'Comma-separated addresses that the client `limpede-web` may return to; unset means LIMPEDE_PUBLIC_URL, with and without a slash.',
  ),
  IDENTITY_ACCESS_TOKEN_SECONDS: integer(3600, 60, 86_400).describe('How long an access token is valid.'),
  IDENTITY_SESSION_SECONDS: integer(1_209_600, 300, 31_536_000).describe(
    'How long a person stays signed in, and how long a refresh token is valid.',
  ),
  IDENTITY_LOGIN_ATTEMPTS: integer(5, 1, 1000).describe(
    'Attempts to sign in that one address has for one user name before it must wait.',
  ),
  IDENTITY_LOGIN_PAUSE_SECONDS: integer(30, 1, 86_400).describe(
    'Seconds after which one more attempt to sign in is granted.',
  ),
  ...auditSettings,
  GATEWAY_INTERNAL_TOKEN: proxySecretSetting(),
  IDENTITY_SERVICE_CLIENT_ID: optionalText().describe(
    'A client that gets tokens for itself (client credentials); unset means none.',
  ),
  IDENTITY_SERVICE_CLIENT_SECRET: z
    .string()
    .trim()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('The secret of that client; without it there is no such client.'),
  IDENTITY_SERVICE_CLIENT_REALM: z
    .enum(['clients', 'admins'])
    .default('clients')
    .describe('The realm of that client.'),
  IDENTITY_SERVICE_CLIENT_ROLES: text('user').describe('The roles of that client, comma-separated.'),
});

/** The parsed settings. */
export type IdentitySettings = z.infer<typeof identitySettings>;
