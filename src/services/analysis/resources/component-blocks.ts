import type { z } from 'zod';
import { aiTamperedResult } from './ai-tampered-result.ts';
import { claimsResult } from './claims-result.ts';
import { domainResult } from './domain-result.ts';
import { techniquesResult } from './techniques-result.ts';

/** The analysis components in the order in which they are shown, each with its block: null where it has not run. */
export const componentBlocks = {
  techniques: techniquesResult.nullable(),
  ai_tampered: aiTamperedResult.nullable(),
  claims: claimsResult.nullable(),
  domain: domainResult.nullable(),
};

/** The block of each component. */
export type Blocks = {
  [Name in keyof typeof componentBlocks]: NonNullable<z.infer<(typeof componentBlocks)[Name]>>;
};
