import { z } from 'zod';
import { localizedText } from '../../../foundation/localized-text.ts';
import { missingPart } from './reasons.ts';
import { mediumFacts } from './source.ts';

const pixels = z.number();
const box = z
  .object({ x: pixels, y: pixels, width: pixels, height: pixels })
  .describe('In pixels, as the picture is shown.');
const score = z.number().min(0).max(1);

/** What a picture shows. */
export const pictureContent = z
  .object({
    ...mediumFacts,
    width: z.int().min(1).nullable().describe('In pixels, as the picture is shown; null when nobody looked.'),
    height: z.int().min(1).nullable(),
    faces: z.array(z.object({ score, box })).nullable().describe('null: nobody could look for them.'),
    objects: z
      .array(z.object({ label: z.string(), name: localizedText, score, box }))
      .nullable()
      .describe('By the 80 labels of COCO; null: nobody could look for them.'),
    nudity: score
      .nullable()
      .describe('How much speaks for naked people or sexual acts, photographed or drawn; null: unknown.'),
    engines: z.array(z.object({ model: z.string(), version: z.string() })),
    degraded: z.array(missingPart(['faces', 'objects', 'nudity'])),
    detection_time_ms: z.int().min(0),
  })
  .meta({ id: 'PictureContent' });

/** Whether anything here recognises what pictures show: who would send one learns it first. */
export const recognitionState = z
  .object({
    installed: z.boolean(),
    ...localizedText.shape,
  })
  .meta({ id: 'RecognitionState' });

/** What a picture shows. */
export type PictureContent = z.infer<typeof pictureContent>;
