import type { z } from 'zod';
import type { LocalizedText } from '../../../foundation/localized-text.ts';
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

/** The names of each component for readers: as a heading, and inside a sentence. */
export const COMPONENT_WORDS: {
  readonly [Name in keyof Blocks]: Readonly<Record<'title' | 'subject', LocalizedText>>;
} = {
  techniques: {
    title: { en: 'Manipulation techniques', ro: 'Tehnici de manipulare' },
    subject: { en: 'the wording', ro: 'formulările' },
  },
  ai_tampered: {
    title: { en: 'Traces of AI and tampering', ro: 'Urme de IA și de falsificare' },
    subject: { en: 'signs of AI or tampering', ro: 'semnele de IA sau de falsificare' },
  },
  claims: {
    title: { en: 'Claims', ro: 'Afirmații' },
    subject: { en: 'the claims', ro: 'afirmațiile' },
  },
  domain: {
    title: { en: 'Source', ro: 'Sursă' },
    subject: { en: 'the source', ro: 'sursa' },
  },
};

/** Longest run of each component in milliseconds, unless staff set another. With the making of the material they fit into the 45 s of a direct answer. */
export const COMPONENT_TIMEOUT_MS: Readonly<Record<keyof Blocks, number>> = {
  techniques: 20_000,
  ai_tampered: 20_000,
  claims: 20_000,
  domain: 10_000,
};

/** The component that each score of a verdict comes from; null: the context is read by rules. */
export const SCORED_COMPONENTS = {
  manipulation: 'techniques',
  claims: 'claims',
  ai: 'ai_tampered',
  source: 'domain',
  context: null,
} as const satisfies Readonly<Record<string, keyof Blocks | null>>;

/** The score that a component gives to the verdict; throws when the table above names none. */
export function scoreOfComponent(component: keyof Blocks): keyof typeof SCORED_COMPONENTS {
  const scores = Object.keys(SCORED_COMPONENTS) as (keyof typeof SCORED_COMPONENTS)[];
  const own = scores.find((score) => SCORED_COMPONENTS[score] === component);
  if (own === undefined) throw new Error(`${component} gives no score`);
  return own;
}
