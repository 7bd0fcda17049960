import { aiTamperedResult } from '../resources/ai-tampered-result.ts';
import { claimsResult } from '../resources/claims-result.ts';
import { domainResult } from '../resources/domain-result.ts';
import { techniquesResult } from '../resources/techniques-result.ts';
import { type ComponentGroup, groupOperations } from './group-operations.ts';

/** The four component groups. Contract and handlers are made from this list. */
export const componentGroups = {
  aiTampered: {
    prefix: 'aiTampered',
    path: 'ai-tampered',
    component: 'ai_tampered',
    block: aiTamperedResult,
  },
  claims: { prefix: 'claims', path: 'claims', component: 'claims', block: claimsResult },
  techniques: {
    prefix: 'techniques',
    path: 'techniques',
    component: 'techniques',
    block: techniquesResult,
    lacks: 'health',
  },
  sourceAssessment: {
    prefix: 'sourceAssessment',
    path: 'source-assessment',
    component: 'domain',
    block: domainResult,
    lacks: 'results',
  },
} as const satisfies Readonly<Record<string, ComponentGroup>>;

const { aiTampered, claims, techniques, sourceAssessment } = componentGroups;

/** Their operations. */
export const groupsOperations = {
  ...groupOperations(aiTampered),
  ...groupOperations(claims),
  ...groupOperations(techniques),
  ...groupOperations(sourceAssessment),
};
