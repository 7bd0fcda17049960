import { aiTamperedResult } from '../resources/ai-tampered-result.ts';
import { groupOperations } from './group-operations.ts';

/** The operations of the group ai-tampered. */
export const aiTamperedOperations = groupOperations('aiTampered', 'ai-tampered', aiTamperedResult);
