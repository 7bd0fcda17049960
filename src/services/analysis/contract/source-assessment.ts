import { domainResult } from '../resources/domain-result.ts';
import { groupOperations, without } from './group-operations.ts';

/** The operations of the group source-assessment. */
export const sourceAssessmentOperations = without(
  groupOperations('sourceAssessment', 'source-assessment', domainResult),
  'sourceAssessmentResults',
);
