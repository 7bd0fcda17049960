import { z } from 'zod';
import { TEXT_LANGUAGES } from './ocr.ts';

/** Characters of the longest text: that of an analysis. */
const LONGEST_TEXT = 50_000;

/** A text and its language, which is detected where it is not given. */
export const textRequest = z.object({
  text: z
    .string()
    .min(1)
    .max(LONGEST_TEXT)
    .refine((text) => text.trim() !== '', { error: 'Text is needed' }),
  language: z.enum(TEXT_LANGUAGES).optional(),
});

const share = z.number().min(0).max(1);
const engine = z.object({ model: z.string(), version: z.string() });
const offset = z.int().min(0);

/** What a text names. */
export const namedEntities = z
  .object({
    request_id: z.uuid(),
    language: z.enum(TEXT_LANGUAGES),
    entities: z.array(
      z.object({
        text: z.string(),
        kind: z
          .enum(['person', 'organisation', 'place', 'other'])
          .describe(
            'Countries and buildings are places; products, works, events, peoples and languages are other.',
          ),
        start: offset.describe('In code points; `end` is behind the last.'),
        end: offset,
        start_utf16: offset,
        end_utf16: offset,
        confidence: share.describe(
          'Calibrated, that these words, no more and no fewer, are an entity of this kind.',
        ),
        named: z
          .boolean()
          .describe(
            'Whether it has a capital or a digit: nouns for people count as entities in Romanian, too.',
          ),
      }),
    ),
    engine,
  })
  .meta({ id: 'NamedEntities' });

/** What a text names. */
export type NamedEntities = z.infer<typeof namedEntities>;

/** The feeling of a text. */
export const SENTIMENTS = ['negative', 'neutral', 'positive'] as const;

/** What a text may voice beside its feeling. */
export const EMOTIONS = [
  'anger',
  'anticipation',
  'disgust',
  'fear',
  'joy',
  'sadness',
  'surprise',
  'trust',
] as const;

/** The feeling of a text. */
export const textSentiment = z
  .object({
    request_id: z.uuid(),
    language: z.enum(TEXT_LANGUAGES),
    label: z.enum(SENTIMENTS),
    confidence: share.describe('The calibrated probability of the label.'),
    scores: z.object({ negative: share, neutral: share, positive: share }),
    emotions: z
      .array(z.object({ label: z.enum(EMOTIONS), probability: share }))
      .describe('Emotions that the text voices, the likeliest first; sober text mostly has none.'),
    engine,
    emotion_engine: engine,
  })
  .meta({ id: 'TextSentiment' });

/** The feeling of a text. */
export type TextSentiment = z.infer<typeof textSentiment>;
