import { storableText } from '../../../../foundation/database/storable.ts';
import type { RecordingTranscript } from '../../dependencies/speech.ts';
import { errors } from '../../errors.ts';
import { type Reason, reasonFields } from '../../reasons.ts';
import { TEXT_LENGTH } from '../../resources/analyze-request.ts';
import { mediaTypeRow } from '../../resources/media-types.ts';
import { EMPTY_RECORDING } from '../../resources/recording.ts';
import type { Material } from '../../session/material.ts';
import { joinWords, recordingHints } from '../../session/timed-text.ts';
import { codePointLength } from '../intake.ts';
import { IntakeImpossibleError, type Preparation } from './preparation.ts';

/** Seconds by which lengths may differ through rounding of the last packet. */
const TOLERANCE_SECONDS = 1;

const withoutText = (material: Material, reason: Reason): Material => ({
  ...material,
  missing: { ...material.missing, transcript: reason, text: reason },
});

const factsOf = ({ durationSec, voicedSec, engine }: RecordingTranscript) => ({
  duration_s: durationSec,
  voiced_s: voicedSec,
  speech_engine: engine,
});

/** The material with an unreliable transcript: it is shown, but not analysed as text. */
function withHints(material: Material, transcription: RecordingTranscript): Material {
  const reason: Reason = { code: 'speech_low_confidence', values: {} };
  const { recording: before = EMPTY_RECORDING } = material.parts;
  const words = transcription.words.map((each) => ({ ...each, text: storableText(each.text) }));
  const recording = {
    ...before,
    ...factsOf(transcription),
    hints: recordingHints(words, TEXT_LENGTH.max),
    left_out: [...before.left_out, { part: 'spoken_words', ...reasonFields(reason) }],
  };
  return withoutText({ ...material, parts: { ...material.parts, recording } }, reason);
}

/** The material with what is said; a text that is too short to be analysed is kept as a transcript alone. */
function withWords(material: Material, transcription: RecordingTranscript): Material {
  const { engine, words, without } = transcription;
  if (engine?.low_confidence === true && words.length > 0) return withHints(material, transcription);
  const storable = words.map((each) => ({ ...each, text: storableText(each.text) }));
  const { text, passages } = joinWords(storable, 'speech', TEXT_LENGTH.max);
  const recording = {
    ...EMPTY_RECORDING,
    ...material.parts.recording,
    ...factsOf(transcription),
    passages: [...passages],
  };
  const parts = { ...material.parts, recording };
  if (text === '')
    return withoutText({ ...material, parts }, without ?? { code: 'nothing_said', values: {} });
  const spokenText = { text, language: 'und' };
  if (codePointLength(text) >= TEXT_LENGTH.min)
    return { ...material, parts: { ...parts, transcript: spokenText, text: spokenText } };
  const short: Reason = { code: 'too_little_said', values: {} };
  return {
    ...material,
    parts: { ...parts, transcript: spokenText },
    missing: { ...material.missing, text: short },
  };
}

/** Has what is said in a recording transcribed: it is what the text engines analyse, and what offsets count in. */
export const transcription: Preparation = {
  makes: ['text', 'transcript', 'recording'],
  outside: {
    stage: 'transcription',
    // The longest recording on a slow engine.
    timeoutMs: 400_000,
    loss: { dependency: 'speech', effect: 'part_missing' },
    lost: { code: 'speech_lost', values: {} },
    failed: { code: 'speech_lost', values: {} },
  },
  run: async (material, { transcribeRecording }, run) => {
    const stored = (material.parts.sound ?? material.parts.video)?.stored;
    if (stored === undefined) return material;
    const outcome = await transcribeRecording(stored.media_id, run);
    if ('lost' in outcome) return outcome;
    if ('refused' in outcome) return withoutText(material, outcome.refused);
    const { longestSeconds = Number.POSITIVE_INFINITY } = mediaTypeRow(material.mediaType);
    // The decoded length counts; the declared one may be wrong or missing.
    if (outcome.transcript.durationSec > longestSeconds + TOLERANCE_SECONDS)
      throw new IntakeImpossibleError('media_too_long', errors.media_too_long());
    return withWords(material, outcome.transcript);
  },
};
