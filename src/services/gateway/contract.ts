import { z } from 'zod';
import { defineContract } from '../../foundation/contract.ts';
import { errors } from './errors.ts';

const index = z
  .object({
    name: z.string(),
    version: z.string(),
    links: z.record(z.string(), z.string()).describe('Absolute addresses of what the gateway leads to.'),
  })
  .meta({ id: 'GatewayIndex' });

/** The only public entrance. `mounts.ts` lists the services behind it. */
export const gateway = defineContract({
  name: 'gateway',
  title: 'Gateway',
  version: '1.0.0',
  description:
    'The public entrance: `/agent-v3/*` is the analysis service, `/agent-v3/dashboard/*` the dashboard and `/agent-v3/catalogue/*` the catalogue for staff, `/realms/*` the identity provider. It checks tokens, ' +
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
