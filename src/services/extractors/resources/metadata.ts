import { z } from 'zod';
import { fileFactsReport } from '../../../media/image/file-facts-report.ts';
import { drawnPicture, PICTURE_KINDS } from './pictures.ts';
import { provenance } from './provenance.ts';
import { missingPart } from './reasons.ts';
import { mediumFacts } from './source.ts';

/** The parts of the metadata that may be missing while the others are there. */
const PARTS = ['tags', 'provenance', 'container', ...PICTURE_KINDS] as const;

/** What a caller may choose. */
export const metadataOptions = {
  pictures: z
    .union([z.string().transform((text) => text.split(',').map((each) => each.trim())), z.array(z.string())])
    .pipe(z.array(z.enum(PICTURE_KINDS)).max(PICTURE_KINDS.length))
    .default([])
    .describe(
      'Pictures to draw, as a list or separated by commas: the error level of a picture, the spectrogram of a sound or video. They are stored as objects.',
    ),
  location: z
    .stringbool()
    .or(z.boolean())
    .default(false)
    .describe(
      'Whether the answer says where a picture or a recording was made. It is left out unless asked for.',
    ),
};

const texts = z.record(z.string(), z.string());

const container = z.object({
  format: z
    .string()
    .describe('The type of a picture; of a recording the names that ffprobe has for its container.'),
  width: z
    .int()
    .min(1)
    .nullable()
    .describe('In pixels; of a picture as it is stored, of a recording as it is shown.'),
  height: z.int().min(1).nullable(),
  duration_sec: z.number().min(0).nullable(),
  tracks: z.int().min(1),
  encoder: z.string().nullable().describe('The program that wrote it, as it says.'),
  picture: z
    .object({ codec: z.string(), frames_per_second: z.number().min(0).nullable(), pixel_shape: z.number() })
    .nullable(),
  sound: z
    .object({
      codec: z.string(),
      sample_rate: z.number().min(1),
      channels: z.number().min(1),
      bit_rate: z.number().min(0).nullable(),
    })
    .nullable(),
});

/** The metadata of a file. */
export const mediumMetadata = z
  .object({
    ...mediumFacts,
    facts: fileFactsReport
      .nullable()
      .describe('What matters most of the tags of a picture; whatever they say can be forged.'),
    exif: texts,
    xmp: texts,
    iptc: texts,
    text: texts.describe('Texts of PNG, where programs that make pictures leave their instructions.'),
    has_location: z.boolean().describe('Whether the file says where it was made.'),
    location: z
      .object({ latitude: z.number(), longitude: z.number(), altitude: z.number().nullable() })
      .nullable()
      .describe('Null unless it was asked for.'),
    container: container.nullable(),
    c2pa: provenance,
    pictures: z.array(drawnPicture),
    degraded: z.array(missingPart(PARTS)),
    extraction_time_ms: z.int().min(0),
  })
  .meta({ id: 'MediumMetadata' });

/** The metadata of a file. */
export type MediumMetadata = z.infer<typeof mediumMetadata>;
