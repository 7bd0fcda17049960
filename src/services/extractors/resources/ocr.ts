import { z } from 'zod';
import { missingPart } from './reasons.ts';
import { mediumFacts } from './source.ts';

/** Languages that text in pictures is read in. */
export const TEXT_LANGUAGES = ['en', 'ro'] as const;
/** Ways to look at a picture: letters that are lighter or darker than their edge alone, or all of it. */
export const TEXT_VIEWS = ['light_letters', 'dark_letters', 'whole'] as const;

/** How letters stand: upright, or so that a person has to turn the picture, or look at it in a mirror. */
export const TEXT_ORIENTATIONS = ['upright', 'upside_down', 'mirrored'] as const;

const pixels = z.number().min(0);
const box = z.object({ x: pixels, y: pixels, width: pixels, height: pixels });
const confidence = z.number().min(0).max(1);

/** What a caller may choose. */
export const ocrOptions = {
  languages: z
    .union([z.string().transform((text) => text.split(',').map((each) => each.trim())), z.array(z.string())])
    .pipe(z.array(z.enum(TEXT_LANGUAGES)).min(1).max(TEXT_LANGUAGES.length))
    .default([...TEXT_LANGUAGES])
    .describe('Languages to try, as a list or separated by commas; which one it is is found out.'),
};

/** The text in a picture. */
export const pictureText = z
  .object({
    ...mediumFacts,
    width: z.int().min(1).describe('In pixels, as the picture is shown: boxes are in these.'),
    height: z.int().min(1),
    text: z
      .string()
      .nullable()
      .describe(
        'Lines in the order in which they are read; empty where there are none, null where it could not be read.',
      ),
    language: z.enum([...TEXT_LANGUAGES, 'und']),
    standing: z
      .enum(TEXT_ORIENTATIONS)
      .describe('How the letters stand in the picture: turned ones are no chance.'),
    confidence: confidence.nullable().describe('Mean over the letters; null without any.'),
    lines: z.array(
      z.object({
        text: z.string(),
        confidence,
        box,
        words: z.array(z.object({ text: z.string(), confidence, box })),
      }),
    ),
    passes: z.array(
      z.object({
        view: z.enum(TEXT_VIEWS),
        language: z.enum(TEXT_LANGUAGES),
        score: z.number().min(0).describe('Letters that were surely read.'),
        duration_ms: z.number().min(0),
      }),
    ),
    engine: z.object({ model: z.string(), version: z.string() }),
    degraded: z
      .array(missingPart(['text', 'whole', ...TEXT_LANGUAGES]))
      .describe('`whole`: the picture beside its letters; a language: it was not read in that one.'),
    reading_time_ms: z.int().min(0),
  })
  .meta({ id: 'PictureText' });

/** The text in a picture. */
export type PictureText = z.infer<typeof pictureText>;
