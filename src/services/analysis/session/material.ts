import { z } from 'zod';
import { storedReason } from '../reasons.ts';
import { mediaType } from '../resources/media-types.ts';
import { storedRecording } from '../resources/recording.ts';

const address = z.object({ url: z.string() });

/** Where a medium came from, and what it is in the store. */
const medium = address.extend({
  stored: z.object({ media_id: z.string(), mime_type: z.string(), sha256: z.string() }).optional(),
});

const readableText = z.object({
  text: z.string(),
  language: z.string().describe('ISO 639-1, or und.'),
});

const pageFacts = z.object({
  url: z.string().describe('The address after redirects.'),
  title: z.string().nullable(),
  publisher: z.string().nullable(),
  author: z.string().nullable(),
  published_at: z.string().nullable(),
  images: z.array(z.string()),
  flags: z.array(z.string()).describe('Notes of the extraction such as paywalled or satire.'),
});
/** What a page says about itself. */
export type PageFacts = z.infer<typeof pageFacts>;

/** The kinds of material, each with the form in which it is kept. */
const materialParts = {
  /** What offsets count in. */
  text: readableText,
  /** The address by which a source can be judged. */
  source_address: address,
  page: pageFacts,
  image: medium,
  sound: medium,
  video: medium,
  /** What is known of a sound or video beside its words. */
  recording: storedRecording,
  /** What is spoken in sound. */
  transcript: readableText,
  /** What is written in pictures. */
  recognised_text: readableText,
};
/** A kind of material. */
export type MaterialKind = keyof typeof materialParts;

/** What the components analyse, as it is stored: the parts that there are, and why others are missing. */
export const material = z.object({
  mediaType,
  title: z.string().nullable(),
  parts: z.object(materialParts).partial(),
  missing: z.partialRecord(z.object(materialParts).keyof(), storedReason),
});
export type Material = z.infer<typeof material>;
