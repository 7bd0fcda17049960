import { storableText } from '../../../../foundation/database/storable.ts';
import type { RecordingOverview } from '../../media/recording-desk.ts';
import { reasonFields } from '../../reasons.ts';
import { TEXT_LENGTH } from '../../resources/analyze-request.ts';
import { UNHEARD } from '../../resources/recording.ts';
import type { Material } from '../../session/material.ts';
import { shownWords } from '../../session/shown-words.ts';
import { appended, joinWords } from '../../session/timed-text.ts';
import { codePointLength } from '../intake.ts';
import type { Preparation } from './preparation.ts';

/** The material with what is written in a video after what is said in it. */
function withOverview(material: Material, made: RecordingOverview): Material {
  const { recording: before = UNHEARD, transcript } = material.parts;
  const said = { text: transcript?.text ?? '', passages: before.passages };
  const storable = made.texts.map(({ timeSec, text }) => ({ timeSec, text: storableText(text) }));
  const words = shownWords(storable, said.text);
  const room = TEXT_LENGTH.max - codePointLength(said.text) - 2;
  const shown = joinWords(words, 'screen', room);
  const { text, passages } = appended(said, shown);
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
  run: async (material, { overlookRecording }, run) => {
    const stored = (material.parts.sound ?? material.parts.video)?.stored;
    if (stored === undefined) return material;
    const outcome = await overlookRecording(stored.media_id, run);
    if ('lost' in outcome) return outcome;
    if ('refused' in outcome) return material;
    return withOverview(material, outcome.overview);
  },
};
