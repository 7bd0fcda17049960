import { createClient } from '../../../foundation/client.ts';
import { NothingToProbeError, type Probeable } from '../../../foundation/health.ts';
import { isOff } from '../../../foundation/settings.ts';
import { speech } from '../../speech/contract.ts';
import { video } from '../../video/contract.ts';
import type { AnalysisSettings } from '../settings.ts';
import type { SpeechClient } from './speech.ts';
import type { VideoClient } from './video.ts';

/** The services for sound and video. */
export interface RecordingServices {
  /** undefined: the speech service is switched off. */
  readonly speech: SpeechClient | undefined;
  /** undefined: the video service is switched off. */
  readonly video: VideoClient | undefined;
  /** By the names of their checks; one that is switched off has none. */
  readonly probes: Partial<Record<'speech' | 'video' | 'video_model', Probeable>>;
  close(): Promise<void>;
}

/** Health waits no longer for any check. */
const LIMIT_MS = 2_000;

/** Opens the clients of the services for sound and video. */
export function openRecordingServices(settings: AnalysisSettings): RecordingServices {
  const { SPEECH_URL, SPEECH_API_TOKEN, VIDEO_URL } = settings;
  const speechClient = isOff(SPEECH_URL)
    ? undefined
    : createClient(speech, {
        name: 'speech',
        url: SPEECH_URL,
        token: SPEECH_API_TOKEN,
        timeoutMs: LIMIT_MS,
      });
  const videoClient = isOff(VIDEO_URL)
    ? undefined
    : createClient(video, { name: 'video', url: VIDEO_URL, timeoutMs: LIMIT_MS });
  const model: Probeable | undefined = videoClient && {
    // The vision server as the video service sees it: whether a model there looks at frames.
    probe: async (signal) => {
      const health = await videoClient.health({}, { signal });
      const seen = health?.checks.vision_model;
      if (seen?.status === 'unknown')
        throw new NothingToProbeError(seen.error ?? 'no vision model is set up');
      if (seen?.status !== 'healthy') throw new Error(seen?.error ?? 'the video service does not answer');
    },
  };
  const [speechProbe, videoProbe] = [speechClient?.probe, videoClient?.probe];
  return {
    speech: speechClient,
    video: videoClient,
    probes: {
      ...(speechProbe !== undefined && { speech: { probe: speechProbe } }),
      ...(videoProbe !== undefined && { video: { probe: videoProbe } }),
      ...(model !== undefined && { video_model: model }),
    },
    close: async () => void (await Promise.all([speechClient?.close(), videoClient?.close()])),
  };
}
