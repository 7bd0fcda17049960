import { z } from 'zod';
import { count } from './fields.ts';
import { madePicture } from './image-analysis.ts';

const seconds = z.number().min(0);

/** A stretch of `input_text`, and when it is said or shown. */
const passage = z.object({
  kind: z.enum(['speech', 'screen']).meta({ description: 'Said, or written on what is shown.' }),
  start: count.meta({ description: 'First code point of input_text.' }),
  end: count,
  start_s: seconds,
  end_s: seconds,
});
/** A stretch of a text, and when it is said or shown. */
export type Passage = z.infer<typeof passage>;

const frame = z.object({
  index: count.meta({ description: 'Its place among all frames of the video.' }),
  timestamp_s: seconds,
  picture: madePicture.nullable().meta({ description: 'A small copy; null when it was not kept.' }),
});
/** A frame of a video that people may look at. */
export type RecordingFrame = z.infer<typeof frame>;

/** A part of the overview that was left out, and why. */
export const leftOutPart = z.object({
  part: z.string(),
  code: z.string(),
  reason: z.string(),
  reason_ro: z.string(),
});

/** The preparation of a recording, as a session stores it. */
const recordingParts = {
  duration_s: seconds.nullable().meta({ description: 'As decoded; null when nothing was decoded.' }),
  voiced_s: seconds
    .nullable()
    .meta({ description: 'Seconds in which something like a voice is heard; null when nobody listened.' }),
  speech_engine: z
    .object({
      model: z.string(),
      backend: z.string(),
      low_confidence: z.boolean().default(false).meta({
        description: 'What it writes is no more than a hint: about every third word is wrong.',
      }),
    })
    .nullable()
    .meta({ description: 'What wrote the transcript; null when nothing did.' }),
  waveform: madePicture.nullable().meta({ description: 'How loud it is, over time.' }),
  spectrogram: madePicture.nullable().meta({ description: 'Which frequencies sound when.' }),
  frames: z.array(frame).meta({ description: 'Of a video, evenly over its length.' }),
  left_out: z.array(leftOutPart).meta({ description: 'Parts that were not made, and why.' }),
};

/** Words of an unreliable transcript: they are shown, but are no part of the analysed text. */
const hint = z.object({ start_s: seconds, end_s: seconds, text: z.string() });

/** The stored data of a recording beside its text. */
export const storedRecording = z.object({
  ...recordingParts,
  passages: z.array(passage),
  hints: z.array(hint).default([]),
});
/** The stored data of a recording beside its text. */
export type StoredRecording = z.infer<typeof storedRecording>;

/** The stored data before any preparation. */
export const EMPTY_RECORDING: StoredRecording = {
  duration_s: null,
  voiced_s: null,
  speech_engine: null,
  waveform: null,
  spectrogram: null,
  frames: [],
  left_out: [],
  passages: [],
  hints: [],
};

const judged = z.boolean().default(true).meta({
  description:
    'False for the words of an engine that hears many wrong: nothing is sought in them, they are no part of input_text, and start and end are 0.',
});

/** The recording as the interface shows it. */
export const recording = z
  .object({
    ...recordingParts,
    transcript: z.array(passage.extend({ text: z.string(), judged })).meta({
      description:
        'What is said and shown, in the order of input_text, with the times to which a player can go.',
    }),
  })
  .meta({ id: 'Recording' });
/** The recording as the interface shows it. */
export type Recording = z.infer<typeof recording>;
