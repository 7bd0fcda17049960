import { describe, expect, it } from 'vitest';
import { recordingLines } from '../../src/cli/recording-lines.ts';
import { EMPTY_RECORDING } from '../../src/services/analysis/resources/recording.ts';
import { recordedSession } from '../services/analysis/report/recorded-session.ts';

describe('a recording on the command line', () => {
  it.each([
    [
      'en',
      ['Length 3:05, Transcribed by: large', ' 1:15  They hide it.', 'Frames: 0:04  1:20!'],
      'uncertain',
    ],
    ['ro', ['Durata 3:05, Transcrisă de: large', ' 1:15  They hide it.', 'Cadre: 0:04  1:20!'], 'incert'],
  ] as const)(
    'shows in %s what is said when, and the frames on their time line',
    (language, lines, verdict) => {
      const shown = recordingLines(recordedSession(), language);
      expect(shown).toEqual(expect.arrayContaining([...lines]));
      expect(shown.find((line) => line.includes(verdict))).toBeDefined();
      expect(shown.find((line) => line.includes('1:20'))).toBeDefined();
      expect(shown.at(-1)).toMatch(
        language === 'en' ? /Not made: spectrogram/ : /Nu s-au făcut: spectrograma/,
      );
    },
  );

  it('says who transcribed, also when nobody did, and nothing of other content', () => {
    expect(
      recordingLines({ recording: { ...EMPTY_RECORDING, transcript: [] }, ai_tampered: null }, 'en'),
    ).toEqual(['Transcribed by: nobody']);
    const engine = { model: 'pocketsphinx-en-us', backend: 'pocketsphinx', low_confidence: true };
    const heard = { ...EMPTY_RECORDING, speech_engine: engine, transcript: [] };
    expect(recordingLines({ recording: heard, ai_tampered: null }, 'ro')).toEqual([
      'Transcrisă de: pocketsphinx-en-us (orientativ: cam fiecare al treilea cuvânt este greșit)',
    ]);
    const hint = {
      kind: 'speech',
      start: 0,
      end: 0,
      start_s: 2,
      end_s: 3,
      text: 'haste',
      judged: false,
    } as const;
    expect(
      recordingLines({ recording: { ...heard, transcript: [hint] }, ai_tampered: null }, 'en'),
    ).toContain(' 0:02  [a hint, not judged] haste');
    expect(recordingLines({ recording: null, ai_tampered: null }, 'ro')).toEqual([]);
  });
});
