import { z } from 'zod';
import { defineContract } from '../../foundation/contract.ts';
import { failures } from '../../foundation/errors.ts';

const errors = failures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not valid JSON.'],
  token_missing: [401, 'A bearer token is needed.'],
  token_invalid: [401, 'The token is not valid.'],
  token_expired: [401, 'The token has expired.'],
  api_key_invalid: [401, 'The key is not valid.'],
  not_found: [404, 'There is nothing at this address.'],
  payload_too_large: [413, 'The body is too large.'],
  rate_limited: [429, 'Too many requests; wait as long as Retry-After says.'],
  internal_error: [500, 'Something went wrong here; the correlation id helps to find it.'],
  shutting_down: [503, 'The service behind is starting, stopping or out of reach; try again shortly.'],
});

const index = z
  .object({
    name: z.string(),
    version: z.string(),
    links: z.record(z.string(), z.string()).describe('Absolute addresses of what the gateway leads to.'),
  })
  .meta({ id: 'GatewayIndex' });

/** The only public entrance. Below /agent-v3 is the analysis service, below /realms the identity provider. */
export const gateway = defineContract({
  name: 'gateway',
  title: 'Gateway',
  version: '1.0.0',
  description:
    'The public entrance: `/agent-v3/*` is the analysis service, `/realms/*` the identity provider. It checks tokens, ' +
    'rates and sizes before anything reaches a service.',
  errors,
  operations: {
    index: {
      method: 'GET',
      path: '/',
      summary: 'What is here',
      access: 'public',
      answer: index,
    },
  },
});
