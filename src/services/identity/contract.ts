import { z } from 'zod';
import { defineContract, defineOperations } from '../../foundation/contract.ts';
import { defineFailures } from '../../foundation/errors.ts';
import { realmNames } from './keys.ts';
import { LONGEST_PASSWORD } from './passwords.ts';

const errors = defineFailures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not JSON.'],
  token_missing: [401, 'Send a bearer token in Authorization.'],
  token_invalid: [401, 'The token is not valid.'],
  token_expired: [401, 'The token has expired.'],
  api_key_invalid: [401, 'Keys open nothing here; send a bearer token.'],
  forbidden_role: [403, 'Your role may not do this.'],
  not_found: [404, 'There is nothing at this address.'],
  user_not_found: [404, 'There is no such user in this realm.'],
  user_exists: [409, 'There is a user of this name in this realm already.'],
  payload_too_large: [413, 'The body is too large.'],
  rate_limited: [429, 'Too many attempts to sign in; wait a moment.'],
  internal_error: [500, 'Something went wrong on our side.'],
  shutting_down: [503, 'The service is stopping.'],
  service_unavailable: [503, 'Nothing can be stored or read at the moment; try again shortly.'],
});

const ADMIN = { roles: ['admin'] } as const;
const GROUP = 'users';
const USER = '/v1/users/{realm}/{name}';
/** The shortest password that a person may choose. */
const SHORTEST_PASSWORD = 12;
const LONGEST_NAME = 200;

/** The roles of a realm. */
const ROLES = { clients: ['user'], admins: ['moderator', 'senior_moderator', 'auditor', 'admin'] } as const;

const realm = z.enum(realmNames);
const userName = z
  .string()
  .max(LONGEST_NAME)
  .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]*$/u, 'must be letters, digits and . _ @ + - only');
const password = z
  .string()
  .min(SHORTEST_PASSWORD)
  .max(LONGEST_PASSWORD)
  .regex(/^\P{C}*$/u, 'must not hold control characters');
const role = z.enum([...ROLES.clients, ...ROLES.admins]);
const plan = z.number().int().min(1).max(6);

const user = z
  .object({
    realm,
    name: z.string().describe('The subject of the user’s tokens.'),
    email: z.string().nullable(),
    roles: z.array(z.string()),
    plan: plan
      .nullable()
      .describe('The highest plan that the user’s requests may ask for; null means no limit.'),
    disabled: z.boolean(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'User' });

const newUser = z
  .object({
    realm,
    name: userName,
    password,
    email: z.email().max(LONGEST_NAME).optional(),
    roles: z.array(role).min(1).max(ROLES.admins.length),
    plan: plan.optional(),
  })
  .refine((given) => given.roles.every((name) => ROLES[given.realm].some((known) => known === name)), {
    path: ['roles'],
    error: ({ input }) => {
      const { realm: named } = input as { realm: keyof typeof ROLES };
      return `the roles of the realm ${named} are ${ROLES[named].join(', ')}`;
    },
  })
  .meta({ id: 'NewUser' });

const answer = z.object({ success: z.literal(true), data: user });
const params = z.object({ realm, name: z.string().max(LONGEST_NAME) });

/** Users of the embedded provider, for administrators. The gateway does not show these. */
export const userOperations = defineOperations({
  users: {
    method: 'GET',
    path: '/v1/users',
    summary: 'The users of a realm or of both, disabled ones too',
    group: GROUP,
    access: ADMIN,
    query: z.object({
      realm: realm.optional(),
      page: z.coerce.number().int().min(1).max(100_000).default(1),
      limit: z.coerce.number().int().min(1).max(100).default(100),
    }),
    answer: z.object({
      success: z.literal(true),
      data: z.object({
        items: z.array(user),
        pagination: z.object({
          page: z.number().int(),
          limit: z.number().int(),
          total: z.number().int(),
          pages: z.number().int(),
        }),
      }),
    }),
  },
  addUser: {
    method: 'POST',
    path: '/v1/users',
    summary: 'Add a user',
    group: GROUP,
    access: ADMIN,
    body: newUser,
    answer,
  },
  setPassword: {
    method: 'PUT',
    path: `${USER}/password`,
    summary: 'Set a new password; the user’s sessions and refresh tokens end',
    group: GROUP,
    access: ADMIN,
    params,
    body: z.object({ password }).meta({ id: 'NewPassword' }),
    answer,
  },
  disableUser: {
    method: 'POST',
    path: `${USER}/disable`,
    summary: 'Let a user in no more; sessions and refresh tokens end',
    group: GROUP,
    access: ADMIN,
    params,
    answer,
  },
  enableUser: {
    method: 'POST',
    path: `${USER}/enable`,
    summary: 'Let a disabled user sign in again',
    group: GROUP,
    access: ADMIN,
    params,
    answer,
  },
});

/** The embedded OIDC provider. Its protocol lives below /realms/{realm}, described by each realm's discovery document. */
export const identity = defineContract({
  name: 'identity',
  title: 'Identity',
  version: '1.0.0',
  description:
    'The embedded OpenID Connect provider with the realms `clients` and `admins`: discovery is at ' +
    '/realms/{realm}/.well-known/openid-configuration.',
  errors,
  operations: userOperations,
});
