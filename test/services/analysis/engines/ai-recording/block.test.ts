import { describe, expect, it } from 'vitest';
import {
  type RecordingEvidence,
  recordingBlock,
} from '../../../../../src/services/analysis/engines/ai-recording/block.ts';
import { aiTamperedResult } from '../../../../../src/services/analysis/resources/ai-tampered-result.ts';
import type { PictureProvenance } from '../../../../../src/services/analysis/resources/image-analysis.ts';
import { SHIPPED_TUNING } from '../../../../../src/services/analysis/resources/tuning.ts';
import { examinedSound, looked, told } from './recordings.ts';

const blockOf = (examined: RecordingEvidence) =>
  aiTamperedResult.parse(recordingBlock(examined, SHIPPED_TUNING.aiVerdictFrom));

const signed = (over: Partial<PictureProvenance>): PictureProvenance => ({
  state: 'valid',
  trusted: null,
  content: 'unchanged',
  ai_origin: null,
  digital_source_types: [],
  signer: 'Somebody',
  chain: [],
  failures: [],
  ...over,
});

describe('the finding on a recording', () => {
  it.each<[string, RecordingEvidence, object]>([
    [
      'in which nothing was found clears nothing',
      examinedSound([looked()]),
      { ai_probability: 19, verdict: 'inconclusive', evidence_grade: 'D', indicators_count: 0 },
    ],
    [
      'with a weak trace stays open',
      examinedSound([told(1.2), looked({ detector: 'bandwidth' })]),
      { verdict: 'inconclusive', evidence_grade: 'C', categories_affected: ['audio_splice_edit'] },
    ],
    [
      'of which something is told for people alone carries no trace of editing',
      examinedSound([looked(), told(0, { detector: 'bandwidth' })]),
      { ai_probability: 19, indicators_count: 0, categories_affected: [] },
    ],
    [
      'with a strong trace names it',
      examinedSound([told(3)]),
      { verdict: 'likely_ai_or_tampered', evidence_grade: 'B' },
    ],
    [
      'of which no detector can say anything has no number',
      examinedSound([looked({ applicable: false, found: null, score: null })]),
      { ai_probability: null, reason_code: 'recording_no_detector_applies', verdict: 'inconclusive' },
    ],
    [
      'that signs its own making is disclosed',
      examinedSound([looked()], {
        provenance: signed({ ai_origin: 'generated', digital_source_types: ['trainedAlgorithmicMedia'] }),
      }),
      {
        verdict: 'disclosed_ai',
        evidence_grade: 'A',
        disclosure_explicit: true,
        categories_affected: ['audio_provenance'],
      },
    ],
    [
      'that was only looked at quickly says so',
      examinedSound([], { forensic: null, depth: 'quick' }),
      { ai_probability: null, reason_code: 'recording_not_decoded' },
    ],
  ])('%s', (_name, examined, expected) => {
    expect(blockOf(examined)).toMatchObject(expected);
  });

  it('stays below 43 with weak traces alone, and can be made again from what it keeps', () => {
    const block = blockOf(examinedSound([told(1.2)]));
    expect(block.ai_probability).toBeLessThan(43);
    expect(block.recording_analysis?.tracks[0]?.fusion.groups).toEqual([
      expect.objectContaining({ group: 'digital_silence', part: 'generated', value: 1.2 }),
    ]);
    expect(block.indicators_detected[0]).toMatchObject({
      code: 'audio_forensic_trace',
      strength: 'moderate',
      dependency: 'forensic',
      raw_score: 0.2,
      where: null,
    });
  });

  it('calls a trace in the sound of a video one of the sound', () => {
    const block = blockOf(examinedSound([told(1.2)], { kind: 'video' }));
    expect(block.indicators_detected[0]?.code).toBe('audio_forensic_trace');
    expect(block.indicators_detected[0]?.explanation_ro).toMatch(/^Urmă în sunet/);
  });

  it('takes a detector that it does not know, on the track and at the times that it names', () => {
    const newer = { ...told(2.6), detector: 'lip_sync', stretches: [{ start_s: 2, end_s: 4 }] };
    const block = blockOf(examinedSound([newer as never, looked()], { kind: 'video' }));
    expect(block.indicators_detected[0]).toMatchObject({
      category: 'video_lip_sync',
      code: 'av_offset',
      strength: 'strong',
      where: { start_s: 2, end_s: 4 },
    });
    expect(
      block.recording_analysis?.tracks.map(({ track, evidence_grade }) => [track, evidence_grade]),
    ).toEqual([
      ['sound', 'D'],
      ['picture', 'B'],
    ]);
    expect(block.ai_probability).toBe(block.recording_analysis?.tracks[1]?.ai_probability);
  });
});
