import { aiTamperedOperations } from './ai-tampered.ts';
import { claimsOperations } from './claims.ts';
import { sourceAssessmentOperations } from './source-assessment.ts';
import { techniquesOperations } from './techniques.ts';

/** The operations of the four component groups. */
export const groupsOperations = {
  ...aiTamperedOperations,
  ...claimsOperations,
  ...techniquesOperations,
  ...sourceAssessmentOperations,
};
