import { techniquesResult } from '../resources/techniques-result.ts';
import { groupOperations, without } from './group-operations.ts';

/** The operations of the group techniques. */
export const techniquesOperations = without(
  groupOperations('techniques', 'techniques', techniquesResult),
  'techniquesHealth',
);
