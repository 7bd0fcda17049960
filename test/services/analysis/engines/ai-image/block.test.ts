import { describe, expect, it } from 'vitest';
import { pictureBlock } from '../../../../../src/services/analysis/engines/ai-image/block.ts';
import { aiTamperedResult } from '../../../../../src/services/analysis/resources/ai-tampered-result.ts';
import type { DetectorResult, PictureAnalysis } from '../../../../../src/services/forensic/contract.ts';

const FROM = { strong: 0.8, likely: 0.6 };
const WORDS = { en: 'Something was found.', ro: 'S-a găsit ceva.' };

const result = (
  detector: DetectorResult['detector'],
  more: Partial<DetectorResult> & { readonly nats?: number } = {},
): DetectorResult => {
  const { nats = 0, ...rest } = more;
  return {
    detector,
    applicable: true,
    reason: null,
    score: 1,
    threshold: 1,
    found: nats > 0,
    log_likelihood_ratio: { value: nats, low: nats, high: nats },
    explanation: nats > 0 ? WORDS : null,
    cannot_see: WORDS,
    regions: [],
    picture: null,
    ...rest,
  };
};

const FILE: PictureAnalysis['file'] = {
  jpeg: null,
  software: null,
  camera: null,
  taken_at: null,
  modified_at: null,
  has_maker_note: false,
  digital_source_type: null,
  generator: null,
};

const blockOf = (
  detectors: readonly DetectorResult[],
  file: Partial<PictureAnalysis['file']> = {},
  depth: 'full' | 'quick' = 'full',
) => {
  const analysis: PictureAnalysis = {
    request_id: '7b0b1a52-3c6c-4f0c-9d64-2f1f4f2f5a10',
    media_type: 'image',
    mime_type: 'image/jpeg',
    size_bytes: 10,
    sha256: 'a'.repeat(64),
    width: 200,
    height: 100,
    orientation: 1,
    frames: 1,
    hash: { algorithm: 'pdq', value: '0'.repeat(64), quality: 100 },
    file: { ...FILE, ...file },
    detectors: [...detectors],
    degraded: [],
    examination_time_ms: 5,
  };
  const mediaId = '7b0b1a52-3c6c-4f0c-9d64-2f1f4f2f5a11';
  const block = pictureBlock(
    { mediaId, depth, analysis, overlays: {}, seenBefore: null, durationMs: 7 },
    FROM,
  );
  return aiTamperedResult.parse(block);
};

const declared = result('generator_metadata', { found: true });

describe('the block of a picture', () => {
  it('stays inconclusive where nothing was found: no detector shows that a picture is genuine', () => {
    const block = blockOf([result('copy_move'), result('double_quantisation')]);
    expect(block).toMatchObject({
      ai_probability: 19,
      verdict: 'inconclusive',
      evidence_grade: 'D',
      indicators_detected: [],
      disclosure_detected: false,
    });
  });

  it('names what was found, and where in fractions of the picture', () => {
    const regions = [
      { x: 0, y: 0, width: 10, height: 10 },
      { x: 100, y: 50, width: 100, height: 50 },
    ];
    const block = blockOf([result('copy_move', { nats: 3, regions })]);
    expect(block).toMatchObject({
      verdict: 'likely_ai_or_tampered',
      evidence_grade: 'B',
      categories_affected: ['image_local_edit'],
    });
    expect(block.indicators_detected[0]).toMatchObject({
      code: 'copy_move_region',
      strength: 'strong',
      dependency: 'forensic',
      where: { x: 0.5, y: 0.5, width: 0.5, height: 0.5 },
    });
    expect(block.image_analysis?.detectors[0]?.regions).toHaveLength(2);
  });

  it('takes two families that agree for strong evidence', () => {
    const block = blockOf([result('copy_move', { nats: 3 }), result('double_quantisation', { nats: 3 })]);
    expect(block.verdict).toBe('strong_evidence');
  });

  it('knows a file that tells everybody from one that forgot what a program left in it', () => {
    const told = blockOf([declared], { digital_source_type: 'trainedAlgorithmicMedia' });
    expect(told).toMatchObject({
      verdict: 'disclosed_ai',
      disclosure_explicit: true,
      disclosure_text: 'trainedAlgorithmicMedia',
      evidence_grade: 'A',
    });
    expect(told.indicators_detected[0]?.code).toBe('iptc_source_type_synthetic');
    const left = blockOf([declared], { generator: { name: 'ComfyUI', keys: ['prompt'] } });
    expect(left).toMatchObject({
      verdict: 'strong_evidence',
      disclosure_detected: true,
      disclosure_explicit: false,
      disclosure_text: 'ComfyUI',
    });
    expect(left.risk_score).toBeGreaterThan(told.risk_score ?? 100);
    expect(left.indicators_detected[0]?.code).toBe('generator_metadata');
  });

  it('gives no number where no detector could have found anything, and says why', () => {
    expect(blockOf([result('jpeg_grid', { applicable: false })])).toMatchObject({
      ai_probability: null,
      risk_score: null,
      reason_code: 'picture_no_detector_applies',
    });
    expect(blockOf([result('generator_metadata')], {}, 'quick')).toMatchObject({
      ai_probability: null,
      reason_code: 'picture_pixels_not_examined',
    });
  });
});
