import { z } from 'zod';
import { missingPart } from './reasons.ts';
import { mediumFacts } from './source.ts';

/** The parts of an overview, in the order in which they are made. */
export const OVERVIEW_PARTS = ['frames', 'waveform', 'spectrogram', 'frame_text'] as const;
/** A part of an overview. */
export type OverviewPart = (typeof OVERVIEW_PARTS)[number];

/** What a caller may choose. */
export const overviewOptions = {
  parts: z
    .union([z.string().transform((text) => text.split(',').map((each) => each.trim())), z.array(z.string())])
    .pipe(z.array(z.enum(OVERVIEW_PARTS)).min(1).max(OVERVIEW_PARTS.length))
    .default([...OVERVIEW_PARTS])
    .describe(
      'Parts to make, as a list or separated by commas: up to 16 frames of a video evenly over its length, the wave form and the spectrogram of its sound, and the text in six of the frames.',
    ),
};

const pixels = z.int().min(1);
const picture = <const Type extends string>(type: Type) =>
  z.object({ mime_type: z.literal(type), width: pixels, height: pixels, data: z.base64() });

const frame = z.object({
  index: z.int().min(0).describe('Its place among all frames.'),
  timestamp_s: z.number().min(0).describe('When it is shown, as the decoder says.'),
  picture: picture('image/jpeg').describe('A small copy.'),
  text: z
    .string()
    .nullable()
    .describe('Lines that are written in it, empty where there are none; null: it was not read.'),
});

/** What a sound or video looks like, for people, and what is written in it. */
export const recordingOverview = z
  .object({
    ...mediumFacts,
    frames: z.array(frame),
    waveform: picture('image/png').nullable().describe('How loud it is: time runs to the right.'),
    spectrogram: picture('image/png')
      .nullable()
      .describe('Which frequencies sound when: low ones are below, lighter is louder.'),
    degraded: z.array(missingPart(OVERVIEW_PARTS)),
    overview_time_ms: z.int().min(0),
  })
  .meta({ id: 'RecordingOverview' });
/** What a sound or video looks like. */
export type RecordingOverview = z.infer<typeof recordingOverview>;
