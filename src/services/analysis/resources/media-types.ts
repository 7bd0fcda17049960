import { z } from 'zod';
import type { LocalizedText } from '../../../foundation/localized-text.ts';

/** One kind of content that an analysis accepts. */
interface MediaTypeRow<Preparation = string> {
  /** The field of the request that carries it. */
  readonly field: 'text' | 'url' | 'media_url';
  /** The kind of material that this field is. */
  readonly brings: 'text' | 'source_address' | 'image' | 'sound' | 'video';
  /** Steps of `pipeline/preparation/` that make its material, in their order; without one no component can read it. */
  readonly preparation: readonly Preparation[];
  /** Longest content in seconds; intake answers `media_too_long` beyond it. */
  readonly longestSeconds?: number;
  /** Least time limit of a component in milliseconds, where this content takes longer than texts. */
  readonly leastTimeoutMs?: number;
}

/**
 * The kinds of content that an analysis accepts. A row makes one part of the interface; what it is worth to the verdict is
 * the profile of its name in `data/taxonomy/verdict.json`.
 */
const MEDIA_TYPE_ROWS = {
  text: { field: 'text', brings: 'text', preparation: ['language'] },
  url: { field: 'url', brings: 'source_address', preparation: ['page', 'language'] },
  image: {
    field: 'media_url',
    brings: 'image',
    preparation: ['medium', 'recognition', 'language'],
    leastTimeoutMs: 60_000,
  },
  audio: {
    field: 'media_url',
    brings: 'sound',
    preparation: ['medium', 'transcription', 'overview', 'language'],
    longestSeconds: 420,
    leastTimeoutMs: 180_000,
  },
  video: {
    field: 'media_url',
    brings: 'video',
    preparation: ['medium', 'transcription', 'overview', 'language'],
    longestSeconds: 180,
    // More than the time limits of all recording services together, so that a slow one is lost alone.
    leastTimeoutMs: 480_000,
  },
} as const satisfies Readonly<Record<string, MediaTypeRow>>;

/** The name of a kind of content. */
export type MediaType = keyof typeof MEDIA_TYPE_ROWS;
/** The name of a step that makes material. */
export type PreparationName = (typeof MEDIA_TYPE_ROWS)[MediaType]['preparation'][number];

/** The names of all kinds of content. */
export const MEDIA_TYPES = Object.keys(MEDIA_TYPE_ROWS) as MediaType[];
export const mediaType = z.enum(MEDIA_TYPES);

/** The names of each kind of content for readers: as a heading, and of several inside a sentence, in Romanian in the genitive. */
export const MEDIA_TYPE_WORDS: Readonly<
  Record<MediaType, Readonly<Record<'title' | 'several', LocalizedText>>>
> = {
  text: {
    title: { en: 'Submitted text', ro: 'Text trimis' },
    several: { en: 'texts', ro: 'textelor' },
  },
  url: {
    title: { en: 'Web page', ro: 'Pagină web' },
    several: { en: 'web pages', ro: 'paginilor web' },
  },
  image: {
    title: { en: 'Image', ro: 'Imagine' },
    several: { en: 'pictures', ro: 'imaginilor' },
  },
  audio: {
    title: { en: 'Audio', ro: 'Audio' },
    several: { en: 'sound recordings', ro: 'înregistrărilor audio' },
  },
  video: {
    title: { en: 'Video', ro: 'Video' },
    several: { en: 'videos', ro: 'înregistrărilor video' },
  },
};

/** What is known of a kind of content. */
export function mediaTypeRow(name: MediaType): MediaTypeRow<PreparationName> {
  return MEDIA_TYPE_ROWS[name];
}
