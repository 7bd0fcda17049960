import { recordingBlock } from '../../../../src/services/analysis/engines/ai-recording/block.ts';
import type { VideoFindings } from '../../../../src/services/analysis/media/video-examination.ts';
import type { AnalysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import { SHIPPED_TUNING } from '../../../../src/services/analysis/resources/tuning.ts';
import { examinedSound, told } from '../engines/ai-recording/recordings.ts';
import { judged } from '../routes/recording-services.ts';
import { sampleSession } from './sample.ts';

const picture = (id: string) => ({
  media_id: `3f0b7a54-7d0e-4f0e-9c38-6b6b3a1f3b${id}`,
  media_url: `http://x/${id}`,
  width: 1,
  height: 1,
});

/** The ids of the pictures of that session: its wave form and two frames. */
export const PICTURES = ['00', '01', '02'].map((id) => picture(id).media_id);

/** The session of a video of 185 s, one frame of which a vision model finds odd. */
export function recordedSession(): AnalysisSession {
  const answer = judged();
  const watched = {
    judged: { ...answer, evidence: [{ frame_index: 40, timestamp_s: 80 }] },
    described: undefined,
    leftOut: [],
    lost: undefined,
  } as unknown as VideoFindings;
  const examined = examinedSound([told(1.2)], { kind: 'video', videoFindings: watched });
  return sampleSession({
    ai_tampered: recordingBlock(examined, SHIPPED_TUNING.aiVerdictFrom),
    recording: {
      duration_s: 185,
      voiced_s: 100,
      speech_engine: { model: 'large', backend: 'upstream', low_confidence: false },
      waveform: picture('00'),
      spectrogram: null,
      frames: [
        { index: 0, timestamp_s: 4, picture: picture('01') },
        { index: 40, timestamp_s: 80, picture: picture('02') },
      ],
      left_out: [{ part: 'spectrogram', code: 'x', reason: 'Not now.', reason_ro: 'Nu acum.' }],
      transcript: [
        { kind: 'speech', start: 0, end: 13, start_s: 75, end_s: 77, text: 'They hide it.', judged: true },
        { kind: 'screen', start: 15, end: 23, start_s: 4, end_s: 80, text: 'CALL NOW', judged: true },
      ],
    },
  });
}
