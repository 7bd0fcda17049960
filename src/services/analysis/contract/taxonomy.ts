import { defineOperations } from '../../../foundation/contract.ts';
import { aiCategory, claimStatus, claimType, techniqueDefinition } from '../resources/taxonomy.ts';
import { listEnvelope } from './envelope.ts';
import { listQuery } from './parameters.ts';

/** What the codes of findings mean, in both languages. */
export const taxonomyOperations = defineOperations({
  aiTamperedCategories: {
    method: 'GET',
    path: '/api/v3/ai-tampered/categories',
    summary: 'Families of traces of generation and tampering, with their indicators',
    group: 'ai-tampered',
    access: 'bearer',
    query: listQuery,
    answer: listEnvelope(aiCategory),
  },
  claimsStatuses: {
    method: 'GET',
    path: '/api/v3/claims/statuses',
    summary: 'The statuses that a claim may have',
    group: 'claims',
    access: 'bearer',
    query: listQuery,
    answer: listEnvelope(claimStatus),
  },
  claimsTypes: {
    method: 'GET',
    path: '/api/v3/claims/types',
    summary: 'The kinds of claims',
    group: 'claims',
    access: 'bearer',
    query: listQuery,
    answer: listEnvelope(claimType),
  },
  techniquesDefinitions: {
    method: 'GET',
    path: '/api/v3/techniques/definitions',
    summary: 'The manipulation techniques',
    group: 'techniques',
    access: 'bearer',
    query: listQuery,
    answer: listEnvelope(techniqueDefinition),
  },
});
