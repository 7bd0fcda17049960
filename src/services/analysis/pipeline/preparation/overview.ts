import { storableText } from '../../../../foundation/database/storable.ts';
import type { RecordingOverview } from '../../media/recording-examiner.ts';
import { reasonFields } from '../../reasons.ts';
import { TEXT_LENGTH } from '../../resources/analyze-request.ts';
import { EMPTY_RECORDING } from '../../resources/recording.ts';
import type { Material } from '../../session/material.ts';
import { onScreenText } from '../../session/on-screen-text.ts';
import { appendText, joinWords } from '../../session/timed-text.ts';
import { codePointLength } from '../intake.ts';
import type { Preparation } from './preparation.ts';

/** The material with what is written in a video after what is said in it. */
function withOverview(material: Material, made: RecordingOverview): Material {
  const { recording: before = EMPTY_RECORDING, transcript } = material.parts;
  const spokenText = { text: transcript?.text ?? '', passages: before.passages };
  const storable = made.texts.map(({ timeSec, text }) => ({ timeSec, text: storableText(text) }));
  const words = onScreenText(storable, spokenText.text);
  const room = TEXT_LENGTH.max - codePointLength(spokenText.text) - 2;
  const shown = joinWords(words, 'screen', room);
  const { text, passages } = appendText(spokenText, shown);
  const leftOut = made.leftOut.map(({ part, reason }) => ({ part, ...reasonFields(reason) }));
  const recording = {
    ...before,
    waveform: made.waveform,
    spectrogram: made.spectrogram,
    frames: [...made.frames],
    left_out: [...before.left_out, ...leftOut],
    passages: [...passages],
  };
  const parts = {
    ...material.parts,
    recording,
    ...(shown.text !== '' && { recognised_text: { text: shown.text, language: 'und' } }),
  };
  if (codePointLength(text.trim()) < TEXT_LENGTH.min) return { ...material, parts };
  return { ...material, parts: { ...parts, text: { text, language: 'und' } } };
}

/** Has a recording drawn for people, and reads what is written in a video: it is text like what is said. */
export const overview: Preparation = {
  makes: ['recording', 'recognised_text', 'text'],
  outside: {
    stage: 'overview',
    timeoutMs: 110_000,
    loss: { dependency: 'extractors', effect: 'part_missing' },
    lost: { code: 'recording_overview_lost', values: {} },
    failed: { code: 'recording_overview_lost', values: {} },
  },
  run: async (material, { drawOverview }, run) => {
    const stored = (material.parts.sound ?? material.parts.video)?.stored;
    if (stored === undefined) return material;
    const outcome = await drawOverview(stored.media_id, run);
    if ('lost' in outcome) return outcome;
    if ('refused' in outcome) return material;
    return withOverview(material, outcome.overview);
  },
};
