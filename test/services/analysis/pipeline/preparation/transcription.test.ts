import { describe, expect, it } from 'vitest';
import type { SpeechOutcome } from '../../../../../src/services/analysis/dependencies/speech.ts';
import { makeMaterial } from '../../../../../src/services/analysis/pipeline/material.ts';
import { IntakeImpossibleError } from '../../../../../src/services/analysis/pipeline/preparation/preparation.ts';
import { NO_MEDIA, storedMedia, submissionOf } from '../../harness.ts';

const SAID = { startSec: 1, endSec: 3, text: 'Apa este limpede în toată țara.' };
const transcriptOf = (over: object = {}): SpeechOutcome => ({
  transcript: {
    durationSec: 12,
    voicedSec: 2,
    engine: { model: 'm', backend: 'upstream', low_confidence: false },
    words: [SAID],
    without: null,
    ...over,
  },
});

const materialOf = (outcome: SpeechOutcome, more: object = {}) =>
  makeMaterial(
    submissionOf({ mediaType: 'audio', text: null, mediaUrl: 'http://x/a', mediaId: 'm', ...more }),
    {
      ...NO_MEDIA,
      findMedia: async () => storedMedia({ mediaType: 'audio', mimeType: 'audio/wav', durationSec: 12 }),
      transcribeRecording: async () => outcome,
      fetchPage: () => Promise.reject(new Error('no page')),
      identify: () => 'ro',
    },
    { signal: new AbortController().signal, correlationId: 'c', account: 'clients/ana' },
  );

describe('what is said in a recording', () => {
  it('is a text like any other, whose passages have times', async () => {
    const { material, degraded } = await materialOf(transcriptOf());
    expect(material.parts).toMatchObject({
      text: { text: SAID.text, language: 'ro' },
      transcript: { text: SAID.text },
      recording: {
        duration_s: 12,
        voiced_s: 2,
        speech_engine: { model: 'm' },
        passages: [{ kind: 'speech', start: 0, end: [...SAID.text].length, start_s: 1, end_s: 3 }],
      },
    });
    expect(degraded).toEqual([]);
  });

  it.each<[string, SpeechOutcome, string]>([
    [
      'nobody says',
      transcriptOf({ words: [], without: { code: 'nothing_said', values: {} } }),
      'nothing_said',
    ],
    [
      'no engine writes down',
      transcriptOf({ words: [], engine: null, without: { code: 'speech_no_engine', values: {} } }),
      'speech_no_engine',
    ],
    ['is too little', transcriptOf({ words: [{ ...SAID, text: 'Da.' }] }), 'too_little_said'],
    ['has no track', { refused: { code: 'recording_without_sound', values: {} } }, 'recording_without_sound'],
    ['was lost', { lost: 'timeout' }, 'speech_lost'],
  ])('that %s is missing with its reason', async (_name, outcome, code) => {
    const { material, degraded } = await materialOf(outcome);
    expect(material.parts.text).toBeUndefined();
    expect(material.missing.text?.code).toBe(code);
    expect(degraded).toEqual(
      'lost' in outcome ? [{ dependency: 'speech', reason: 'timeout', effect: 'part_missing' }] : [],
    );
  });

  it('is a hint where its engine hears many words wrong: shown, and judged nowhere', async () => {
    const engine = { model: 'pocketsphinx-en-us', backend: 'pocketsphinx', low_confidence: true };
    const { material, degraded } = await materialOf(transcriptOf({ engine }));
    expect(material.parts.text).toBeUndefined();
    expect(material.parts.transcript).toBeUndefined();
    expect(material.missing.text?.code).toBe('speech_low_confidence');
    expect(material.parts.recording).toMatchObject({
      speech_engine: engine,
      passages: [],
      hints: [{ start_s: 1, end_s: 3, text: SAID.text }],
      left_out: [{ part: 'spoken_words', code: 'speech_low_confidence' }],
    });
    expect(degraded).toEqual([]);
  });

  it('is no content to analyse where it is longer than its header said', async () => {
    const error = await materialOf(transcriptOf({ durationSec: 422 })).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(IntakeImpossibleError);
    expect(error).toMatchObject({ code: 'media_too_long' });
  });

  it('is not listened to in a quick look', async () => {
    const { material } = await materialOf(transcriptOf(), { quick: true });
    expect(material.parts.text).toBeUndefined();
    expect(material.parts.sound?.stored?.media_id).toBe('m');
  });
});
