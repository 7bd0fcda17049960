import { withDeadline } from '../../../foundation/deadline.ts';
import { createFairQueue, QueueFullError } from '../../../foundation/fair-queue.ts';
import type { Probed } from '../../../foundation/health.ts';
import { type RecordingFacts, readFacts, type SoundTrack } from '../../../media/recording/facts.ts';
import { missingPrograms, RecordingError } from '../../../media/recording/programs.ts';
import { decodeSound } from '../../../media/recording/sound.ts';
import { findVoices } from '../../../media/recording/voice-activity.ts';
import { errors } from '../errors.ts';
import type { SoundDetectorResult } from '../resources/recording.ts';
import type { ForensicSettings } from '../settings.ts';
import { bandwidthOf } from './features.ts';
import { digitalSilence, earlyEnd } from './sound-findings.ts';

/** A recording whose sound was examined. */
export interface ExaminedRecording {
  readonly facts: RecordingFacts;
  readonly sound: SoundTrack;
  readonly durationSec: number;
  readonly voicedSec: number;
  readonly bandwidthHz: number | null;
  readonly results: readonly SoundDetectorResult[];
}

/** Examines the sound of recordings, a few at a time, callers in turns. */
export interface RecordingExaminer extends Probed {
  /** Throws a failure of the error table. */
  examine(path: string, caller: string, signal: AbortSignal): Promise<ExaminedRecording>;
}

/** More says nothing about what people hear, and takes memory. */
const HIGHEST_RATE = 48_000;

const FAILURES = {
  program_missing: errors.decoder_missing,
  broken: errors.broken_media,
  no_track: errors.no_sound,
  too_long: errors.media_too_long,
  too_large: errors.broken_media,
  out_of_memory: errors.broken_media,
  timeout: errors.timeout,
} as const;

function failureOf(error: unknown): unknown {
  if (error instanceof QueueFullError)
    return error.share === 'own' ? errors.rate_limited() : errors.service_unavailable();
  return error instanceof RecordingError ? FAILURES[error.reason]({ cause: error }) : error;
}

/** Nothing is started before the first recording. */
export function createRecordingExaminer(settings: ForensicSettings): RecordingExaminer {
  const queue = createFairQueue({
    running: 1,
    get waiting() {
      return settings.FORENSIC_QUEUE_SIZE;
    },
    get each() {
      return settings.FORENSIC_CALLER_SHARE;
    },
  });
  const work = async (path: string, signal: AbortSignal): Promise<ExaminedRecording> => {
    const facts = await readFacts(path, signal);
    const { sound: track, durationSec } = facts;
    if (track === null) throw new RecordingError('no_track');
    const mostSeconds = settings.FORENSIC_MAX_SECONDS;
    if ((durationSec ?? 0) > mostSeconds) throw new RecordingError('too_long');
    const rate = Math.min(HIGHEST_RATE, track.sampleRate);
    const limits = { rate, mostSeconds, timeoutMs: settings.FORENSIC_TIMEOUT_MS };
    const sound = await decodeSound(path, limits, signal);
    const { voicedSec } = await findVoices(sound, signal);
    const bandwidth = bandwidthOf(sound);
    return {
      facts,
      sound: track,
      durationSec: sound.samples.length / rate,
      voicedSec,
      bandwidthHz: bandwidth?.hertz ?? null,
      results: [digitalSilence(sound, voicedSec), earlyEnd(bandwidth)],
    };
  };
  return {
    probe: async () => {
      const missing = missingPrograms();
      if (missing.length > 0) throw new Error(`not installed: ${missing.join(', ')}`);
    },
    examine: async (path, caller, signal) => {
      const limited = () => withDeadline(settings.FORENSIC_TIMEOUT_MS, signal, (ended) => work(path, ended));
      try {
        return await queue.run(caller, limited, signal);
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}
