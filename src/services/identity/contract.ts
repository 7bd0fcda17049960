import { z } from 'zod';
import { defineContract } from '../../foundation/contract.ts';
import { failures } from '../../foundation/errors.ts';

const errors = failures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not JSON.'],
  not_found: [404, 'There is nothing at this address.'],
  payload_too_large: [413, 'The body is too large.'],
  rate_limited: [429, 'Too many attempts to sign in; wait a moment.'],
  internal_error: [500, 'Something went wrong on our side.'],
  shutting_down: [503, 'The service is stopping.'],
});

const check = z.object({
  status: z.enum(['healthy', 'unhealthy', 'unknown']),
  latency_ms: z.int().nullable(),
  error: z.string().nullable(),
});

const health = z
  .object({
    status: z.enum(['healthy', 'unhealthy']),
    service: z.literal('identity'),
    version: z.string(),
    checks: z.record(z.string(), check),
  })
  .meta({ id: 'IdentityHealth' });

/** The embedded OIDC provider. Its protocol lives below /realms/{realm}, described by each realm's discovery document. */
export const identity = defineContract({
  name: 'identity',
  title: 'Identity',
  version: '1.0.0',
  description:
    'The embedded OpenID Connect provider with the realms `clients` and `admins`: discovery is at ' +
    '/realms/{realm}/.well-known/openid-configuration.',
  errors,
  operations: {
    health: {
      method: 'GET',
      path: '/health',
      summary: 'Whether the service and its database work',
      access: 'public',
      answer: health,
      answers: { 503: health },
    },
    ready: {
      method: 'GET',
      path: '/ready',
      summary: 'Whether the service can take requests',
      access: 'public',
      answer: z.object({ ready: z.boolean() }),
      answers: { 503: z.object({ ready: z.boolean() }) },
    },
  },
});
