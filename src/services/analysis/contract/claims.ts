import { claimsResult } from '../resources/claims-result.ts';
import { groupOperations } from './group-operations.ts';

/** The operations of the group claims. */
export const claimsOperations = groupOperations('claims', 'claims', claimsResult);
