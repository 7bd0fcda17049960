import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { deepHealthResponse } from '../resources/health.ts';

const basicHealth = z.object({
  status: z.enum(['healthy', 'unhealthy']),
  service: z.string(),
  version: z.string(),
  timestamp: z.iso.datetime(),
});

/** Root and health. */
export const healthOperations = defineOperations({
  root: {
    method: 'GET',
    path: '/',
    summary: 'What this service is',
    access: 'public',
    answer: z.object({ service: z.string(), version: z.string(), api_version: z.literal('v3') }),
  },
  basicHealth: {
    method: 'GET',
    path: '/api/v3/health',
    summary: 'Basic health: what the service cannot do without',
    group: 'health',
    access: 'public',
    answer: basicHealth,
    answers: { 503: basicHealth },
  },
  deepHealth: {
    method: 'GET',
    path: '/api/v3/health/all',
    summary: 'Deep health: every dependency',
    group: 'health',
    access: 'bearer',
    answer: deepHealthResponse,
    answers: { 503: deepHealthResponse },
  },
});
