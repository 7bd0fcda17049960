import type {
  DetectorScore,
  ImageAnalysis,
} from '../../../../src/services/analysis/resources/image-analysis.ts';

const WORDS = { en: 'It says so.', ro: 'Așa spune.' };
/** A medium that an analysis drew. */
export const DRAWN = {
  media_id: '0b0b1a52-3c6c-4f0c-9d64-2f1f4f2f5a10',
  media_url: 'http://127.0.0.1:8080/agent-v3/api/v3/media/file/media/2026-01-01/x',
  width: 512,
  height: 384,
};

/** What one detector said. */
export function detectorScore(detector: string, more: Partial<DetectorScore> = {}): DetectorScore {
  return {
    detector,
    applicable: true,
    reason: null,
    score: 1,
    threshold: 2,
    found: false,
    log_likelihood_ratio: { value: 0, low: 0, high: 0 },
    explanation: null,
    cannot_see: WORDS,
    regions: [],
    picture: null,
    ...more,
  };
}

/** A picture in which copied parts were found, and that was seen before. */
export function imageAnalysis(more: Partial<ImageAnalysis> = {}): ImageAnalysis {
  return {
    media_id: '1b0b1a52-3c6c-4f0c-9d64-2f1f4f2f5a10',
    mime_type: 'image/jpeg',
    size_bytes: 1000,
    sha256: 'a'.repeat(64),
    width: 1024,
    height: 768,
    orientation: 1,
    frames: 1,
    depth: 'full',
    hash: { algorithm: 'pdq', value: 'b'.repeat(64), quality: 90 },
    preview: { ...DRAWN, media_id: '2b0b1a52-3c6c-4f0c-9d64-2f1f4f2f5a10' },
    file: {},
    provenance: {
      state: 'valid',
      trusted: null,
      content: 'unchanged',
      ai_origin: null,
      digital_source_types: [],
      signer: 'Signer <A>',
      chain: [
        {
          title: 'photo.jpg',
          made_by: 'Editor',
          signer: 'Signer <A>',
          signed_at: '2024-05-01T10:00:00Z',
          actions: [{ action: 'c2pa.edited', digital_source_type: null, software_agent: null, at: null }],
        },
      ],
      failures: [],
    },
    detectors: [
      detectorScore('copy_move', {
        found: true,
        explanation: WORDS,
        regions: [{ x: 0.31, y: 0.25, width: 0.31, height: 0.37 }],
        picture: DRAWN,
      }),
      detectorScore('double_quantisation'),
      detectorScore('jpeg_grid', {
        applicable: false,
        found: null,
        reason: { code: 'lossy_container', ...WORDS },
      }),
      detectorScore('error_level', {
        found: null,
        picture: { ...DRAWN, media_id: '3b0b1a52-3c6c-4f0c-9d64-2f1f4f2f5a10' },
      }),
    ],
    not_applicable: ['jpeg_grid'],
    degraded: [],
    fusion: {
      priors: { generated: 0.1, manipulated: 0.1 },
      p_generated: 0.1,
      p_manipulated: 0.69,
      range: [64, 72],
      groups: [],
    },
    seen_before: {
      by_looks: true,
      sessions: [
        {
          session_id: '4b0b1a52-3c6c-4f0c-9d64-2f1f4f2f5a10',
          created_at: '2024-05-02T10:00:00.000Z',
          same_bytes: false,
          differing_bits: 4,
          risk_score: null,
          risk_category: null,
        },
      ],
      fact_checks: [
        {
          decided_at: '2024-05-03T10:00:00.000Z',
          differing_bits: 0,
          risk_score: 77,
          risk_category: 'x',
          claims: [],
        },
      ],
    },
    vision: null,
    shows: null,
    sensitive: {
      blur_first: true,
      nudity: null,
      gore: null,
      code: 'c',
      reason: 'Unknown.',
      reason_ro: 'Necunoscut.',
    },
    examination_time_ms: 10,
    ...more,
  };
}
