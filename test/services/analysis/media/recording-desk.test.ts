import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  createRecordingDesk,
  type RecordingOverviewOutcome,
} from '../../../../src/services/analysis/media/recording-desk.ts';

const run = {
  account: 'a',
  correlationId: 'c',
  signal: new AbortController().signal,
  pause: () => () => undefined,
};

/** A desk that works on one recording at a time and draws nothing; `asked` has the parts that were asked for. */
function deskOf(mediaType: 'audio' | 'video', shedFrom: number, degraded: object[] = []) {
  const asked: string[][] = [];
  const drawn = { frames: [], waveform: null, spectrogram: null, degraded };
  const desk = createRecordingDesk({
    library: {
      find: async () => ({ mediaType, objectKey: 'k', mimeType: 'x/y', durationSec: 1 }),
      open: async () => Readable.from([]),
    },
    extractors: {
      overview: async ({ body }: { body: { fields: { parts: string } } }) => {
        asked.push(body.fields.parts.split(','));
        return drawn;
      },
    },
    atOnce: () => 1,
    shedFrom: () => shedFrom,
  } as unknown as Parameters<typeof createRecordingDesk>[0]);
  return { asked, desk };
}

const leftOut = (outcome: RecordingOverviewOutcome) =>
  'overview' in outcome ? outcome.overview.leftOut.map(({ part, reason }) => `${part} ${reason.code}`) : [];

describe('recordings that wait', () => {
  it('have optional parts left out in turn, and say so', async () => {
    const { asked, desk } = deskOf('video', 2);
    const outcomes = await Promise.all([1, 2, 3, 4].map((name) => desk.overlook(String(name), run)));
    const all = ['frames', 'waveform', 'spectrogram', 'frame_text'];
    expect(asked).toEqual([all.slice(0, 2), all.slice(0, 3), all, all]);
    const noText = 'frame_text left_out_under_load';
    expect(outcomes.map(leftOut)).toEqual([[noText, 'spectrogram left_out_under_load'], [noText], [], []]);
  });

  it('say of a sound that nothing of a picture was left out', async () => {
    const { asked, desk } = deskOf('audio', 1);
    const outcomes = await Promise.all([1, 2, 3].map((name) => desk.overlook(String(name), run)));
    expect(asked).toEqual([['waveform'], ['waveform', 'spectrogram'], ['waveform', 'spectrogram']]);
    expect(outcomes.flatMap(leftOut)).toEqual(['spectrogram left_out_under_load']);
  });

  it.each([
    ['waveform', 'not_applicable', 'recording_without_sound'],
    ['frames', 'not_applicable', 'recording_part_not_made'],
    ['spectrogram', 'engine_missing', 'recording_tools_missing'],
    ['frame_text', 'timeout', 'recording_part_late'],
    ['waveform', 'unreadable', 'recording_part_not_made'],
  ])('say of %s that is missing (%s): %s', async (part, reason, code) => {
    const { desk } = deskOf('video', 2, [{ part, reason, en: 'x', ro: 'x' }]);
    expect(leftOut(await desk.overlook('1', run))).toEqual([`${part} ${code}`]);
  });
});
