import type { ForensicRecording } from '../../../../../src/services/analysis/dependencies/recording-forensics.ts';
import type { RecordingEvidence } from '../../../../../src/services/analysis/engines/ai-recording/block.ts';

type Detector = ForensicRecording['detectors'][number];

/** What a detector says that looked and found nothing. */
export const looked = (over: Partial<Detector> = {}): Detector => ({
  detector: 'digital_silence',
  applicable: true,
  reason: null,
  score: 0.001,
  threshold: 0.035,
  found: false,
  log_likelihood_ratio: { value: 0, low: 0, high: 0 },
  explanation: null,
  cannot_see: { en: 'Not everything.', ro: 'Nu totul.' },
  stretches: [],
  ...over,
});

/** The same detector where it found something, by so many nats. */
export const told = (value: number, over: Partial<Detector> = {}): Detector =>
  looked({
    score: 0.2,
    found: true,
    log_likelihood_ratio: { value, low: value / 2, high: value },
    explanation: { en: 'Found.', ro: 'Găsit.' },
    ...over,
  });

/** What the forensic service answers about a recording. */
export const forensicRecording = (detectors: Detector[]): ForensicRecording => ({
  request_id: '8f0b7a54-7d0e-4f0e-9c38-6b6b3a1f3b9e',
  media_type: 'audio',
  mime_type: 'audio/wav',
  size_bytes: 100,
  sha256: 'a'.repeat(64),
  duration_s: 4,
  voiced_s: 3,
  sound: {
    codec: 'pcm_s16le',
    sample_rate: 16_000,
    channels: 1,
    bit_rate: null,
    encoder: null,
    bandwidth_hz: 7_900,
  },
  picture: null,
  hashes: null,
  detectors,
  degraded: [],
  examination_time_ms: 5,
});

/** An examined sound with these findings. */
export const examinedSound = (
  detectors: Detector[],
  over: Partial<RecordingEvidence> = {},
): RecordingEvidence => ({
  kind: 'audio',
  facts: {
    media_id: '3f0b7a54-7d0e-4f0e-9c38-6b6b3a1f3b9e',
    mime_type: 'audio/wav',
    size_bytes: 100,
    sha256: 'a'.repeat(64),
    duration_s: 4,
  },
  depth: 'full',
  forensic: forensicRecording(detectors),
  provenance: null,
  seenBefore: null,
  durationMs: 10,
  ...over,
});
