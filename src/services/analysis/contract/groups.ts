import { aiTamperedResult } from '../resources/ai-tampered-result.ts';
import { claimsResult } from '../resources/claims-result.ts';
import { domainResult } from '../resources/domain-result.ts';
import { techniquesResult } from '../resources/techniques-result.ts';
import { groupOperations, without } from './group-operations.ts';

/** The operations of the four component groups. */
export const groupsOperations = {
  ...groupOperations('aiTampered', 'ai-tampered', 'ai_tampered', aiTamperedResult),
  ...groupOperations('claims', 'claims', 'claims', claimsResult),
  ...without(groupOperations('techniques', 'techniques', 'techniques', techniquesResult), 'techniquesHealth'),
  ...without(
    groupOperations('sourceAssessment', 'source-assessment', 'domain', domainResult),
    'sourceAssessmentResults',
  ),
};
