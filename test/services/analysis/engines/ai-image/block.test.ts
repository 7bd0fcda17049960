import { describe, expect, it } from 'vitest';
import { pictureBlock } from '../../../../../src/services/analysis/engines/ai-image/block.ts';
import { aiTamperedResult } from '../../../../../src/services/analysis/resources/ai-tampered-result.ts';
import type { PictureProvenance } from '../../../../../src/services/analysis/resources/image-analysis.ts';
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
  provenance: PictureProvenance | null = null,
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
    preview: null,
    file: { ...FILE, ...file },
    detectors: [...detectors],
    degraded: [],
    examination_time_ms: 5,
  };
  const mediaId = '7b0b1a52-3c6c-4f0c-9d64-2f1f4f2f5a11';
  const block = pictureBlock(
    { mediaId, depth, analysis, provenance, preview: null, overlays: {}, seenBefore: null, durationMs: 7 },
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

const HISTORY: PictureProvenance = {
  state: 'valid',
  trusted: true,
  content: 'unchanged',
  ai_origin: null,
  digital_source_types: ['digitalCapture'],
  signer: 'Camera Maker',
  chain: [{ title: 'a.jpg', made_by: 'Camera', signer: 'Camera Maker', signed_at: null, actions: [] }],
  failures: [],
};
const withHistory = (more: Partial<PictureProvenance>, detectors = [result('copy_move')]) =>
  blockOf(detectors, {}, 'full', { ...HISTORY, ...more });

describe('a signed history', () => {
  it('of a trusted camera authenticates the picture, and of nobody else', () => {
    expect(withHistory({})).toMatchObject({ verdict: 'authenticated_capture', evidence_grade: 'A' });
    expect(withHistory({}).ai_probability).toBeLessThan(3);
    for (const more of [
      { trusted: null },
      { trusted: false },
      { content: 'not_checked' },
      { state: 'invalid' },
      { digital_source_types: [] },
      { chain: [...HISTORY.chain, ...HISTORY.chain] },
    ])
      expect(withHistory(more).verdict).toBe('inconclusive');
  });

  it('that names a model discloses it, whoever signed', () => {
    const ai = { ai_origin: 'generated', digital_source_types: ['trainedAlgorithmicMedia'] };
    const trusted = withHistory(ai);
    expect(trusted).toMatchObject({
      verdict: 'disclosed_ai',
      disclosure_explicit: true,
      disclosure_text: 'trainedAlgorithmicMedia',
    });
    expect(trusted.ai_probability).toBeGreaterThanOrEqual(97);
    expect(trusted.indicators_detected[0]).toMatchObject({
      code: 'c2pa_trusted_generative',
      dependency: 'extractors',
    });
    const other = withHistory({ ...ai, trusted: null });
    expect(other.ai_probability).toBeGreaterThanOrEqual(90);
    expect(other.ai_probability).toBeLessThan(97);
  });

  it('that does not fit its file is a weak sign, never a verdict', () => {
    const block = withHistory({
      state: 'invalid',
      content: 'changed',
      failures: ['assertion.dataHash.mismatch'],
    });
    expect(block).toMatchObject({ verdict: 'inconclusive', evidence_grade: 'C' });
    expect(block.ai_probability).toBeCloseTo(26.4, 0);
    expect(block.indicators_detected[0]?.code).toBe('c2pa_invalid_hash');
    // An old form that cannot be compared says nothing.
    expect(withHistory({ state: 'invalid', content: 'not_checked' }).indicators_detected).toEqual([]);
  });
});
