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

/** The embedded OIDC provider. Its protocol lives below /realms/{realm}, described by each realm's discovery document. */
export const identity = defineContract({
  name: 'identity',
  title: 'Identity',
  version: '1.0.0',
  description:
    'The embedded OpenID Connect provider with the realms `clients` and `admins`: discovery is at ' +
    '/realms/{realm}/.well-known/openid-configuration.',
  errors,
  operations: {},
});
