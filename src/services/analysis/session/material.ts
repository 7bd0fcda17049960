import { z } from 'zod';
import { storedReason } from '../reasons.ts';
import { mediaType } from '../resources/analyze-request.ts';

/** What the page said about itself, when the material came from one. */
const pageFacts = z.object({
  url: z.string().describe('The address after redirects.'),
  title: z.string().nullable(),
  publisher: z.string().nullable(),
  author: z.string().nullable(),
  published_at: z.string().nullable(),
  images: z.array(z.string()),
  flags: z.array(z.string()).describe('Notes of the extraction such as paywalled or satire.'),
});
export type PageFacts = z.infer<typeof pageFacts>;

/** What the components analyse, as it is stored. */
export const material = z.object({
  mediaType,
  text: z.string().nullable().describe('What offsets count in; null when there is none.'),
  reason: storedReason.nullable().describe('Why there is no text.'),
  title: z.string().nullable(),
  language: z.string().describe('ISO 639-1, or und.'),
  url: z.string().nullable(),
  page: pageFacts.nullable(),
});
export type Material = z.infer<typeof material>;
