import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  createRecordingExaminer,
  type RecordingOverviewOutcome,
} from '../../../../src/services/analysis/media/recording-examiner.ts';

const run = {
  account: 'a',
  correlationId: 'c',
  signal: new AbortController().signal,
  pause: () => () => undefined,
};

/** An examiner of one recording at a time that draws nothing; `requested` has the parts that were requested. */
function examinerOf(mediaType: 'audio' | 'video', shedFrom: number, degraded: object[] = []) {
  const requested: string[][] = [];
  const drawn = { frames: [], waveform: null, spectrogram: null, degraded };
  const examiner = createRecordingExaminer({
    library: {
      find: async () => ({ mediaType, objectKey: 'k', mimeType: 'x/y', durationSec: 1 }),
      open: async () => Readable.from([]),
    },
    extractors: {
      overview: async ({ body }: { body: { fields: { parts: string } } }) => {
        requested.push(body.fields.parts.split(','));
        return drawn;
      },
    },
    atOnce: () => 1,
    shedFrom: () => shedFrom,
  } as unknown as Parameters<typeof createRecordingExaminer>[0]);
  return { requested, examiner };
}

const leftOut = (outcome: RecordingOverviewOutcome) =>
  'overview' in outcome ? outcome.overview.leftOut.map(({ part, reason }) => `${part} ${reason.code}`) : [];

describe('recordings that wait', () => {
  it('have optional parts left out in turn, and say so', async () => {
    const { requested, examiner } = examinerOf('video', 2);
    const outcomes = await Promise.all([1, 2, 3, 4].map((name) => examiner.drawOverview(String(name), run)));
    const all = ['frames', 'waveform', 'spectrogram', 'frame_text'];
    expect(requested).toEqual([all.slice(0, 2), all.slice(0, 3), all, all]);
    const noText = 'frame_text left_out_under_load';
    expect(outcomes.map(leftOut)).toEqual([[noText, 'spectrogram left_out_under_load'], [noText], [], []]);
  });

  it('say of a sound that nothing of a picture was left out', async () => {
    const { requested, examiner } = examinerOf('audio', 1);
    const outcomes = await Promise.all([1, 2, 3].map((name) => examiner.drawOverview(String(name), run)));
    expect(requested).toEqual([['waveform'], ['waveform', 'spectrogram'], ['waveform', 'spectrogram']]);
    expect(outcomes.flatMap(leftOut)).toEqual(['spectrogram left_out_under_load']);
  });

  it.each([
    ['waveform', 'not_applicable', 'recording_without_sound'],
    ['frames', 'not_applicable', 'recording_part_not_made'],
    ['spectrogram', 'engine_missing', 'recording_tools_missing'],
    ['frame_text', 'timeout', 'recording_part_late'],
    ['waveform', 'unreadable', 'recording_part_not_made'],
  ])('say of %s that is missing (%s): %s', async (part, reason, code) => {
    const { examiner } = examinerOf('video', 2, [{ part, reason, en: 'x', ro: 'x' }]);
    expect(leftOut(await examiner.drawOverview('1', run))).toEqual([`${part} ${code}`]);
  });
});
