import { createFairQueue, mostOfOne, QueueFullError } from '../../foundation/fair-queue.ts';
import type { Probed } from '../../foundation/health.ts';
import { readFacts } from '../../media/recording/facts.ts';
import { mediaPrograms, RecordingError } from '../../media/recording/programs.ts';
import { decodeSound, type Sound } from '../../media/recording/sound.ts';
import { type RecordingFailures, toldRecordingError } from '../../media/recording/told-errors.ts';
import { findVoices, type VoiceActivity } from '../../media/recording/voice-activity.ts';
import { errors } from './errors.ts';
import { RATE } from './pieces.ts';
import type { SpeechSettings } from './settings.ts';

/** A decoded recording, and where voices are heard in it. */
export interface HeardRecording {
  readonly sound: Sound;
  readonly durationSec: number;
  readonly voices: VoiceActivity;
}

/** Reads recordings, a few at a time, callers in turns. */
export interface Recordings extends Probed {
  /** Does all work on a request, receiving its file included. Throws the failure with which it is refused before that. */
  admitted<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
  /** Decodes a file and works on it in the same turn. Throws a failure of the error table. */
  withRecording<Result>(
    file: { readonly path: string; readonly caller: string },
    work: (recording: HeardRecording) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result>;
}

const FAILURES: RecordingFailures = {
  decoder_missing: errors.decoder_missing,
  broken_media: errors.broken_media,
  no_track: errors.no_sound,
  media_too_long: errors.media_too_long,
  too_much: errors.broken_media,
  timeout: errors.timeout,
};

function failureOf(error: unknown): unknown {
  if (error instanceof QueueFullError)
    return error.share === 'own' ? errors.rate_limited() : errors.overloaded();
  return toldRecordingError(error, FAILURES);
}

/** Prepares reading; nothing is started before the first file. */
export function createRecordings(settings: SpeechSettings): Recordings {
  const queue = createFairQueue({
    running: settings.SPEECH_RUNNING,
    get waiting() {
      return settings.SPEECH_QUEUE_SIZE;
    },
    get each() {
      return settings.SPEECH_CALLER_SHARE;
    },
    eachRunning: mostOfOne(settings.SPEECH_RUNNING),
  });
  const read = async (path: string, signal: AbortSignal): Promise<HeardRecording> => {
    const facts = await readFacts(path, signal);
    if (facts.sound === null) throw new RecordingError('no_track');
    const mostSeconds = settings.SPEECH_MAX_SECONDS;
    // A header that says so is enough: nothing is decoded.
    if ((facts.durationSec ?? 0) > mostSeconds) throw new RecordingError('too_long');
    const limits = { rate: RATE, mostSeconds, timeoutMs: settings.SPEECH_DECODE_TIMEOUT_MS };
    const sound = await decodeSound(path, limits, signal);
    return { sound, durationSec: sound.samples.length / sound.rate, voices: await findVoices(sound, signal) };
  };
  return {
    get note() {
      return mediaPrograms.note;
    },
    probe: mediaPrograms.probe,
    admitted: async (caller, work) => {
      try {
        return await queue.admitted(caller, work);
      } catch (error) {
        throw failureOf(error);
      }
    },
    withRecording: async ({ path, caller }, work, signal) => {
      try {
        return await queue.run(caller, async () => work(await read(path, signal)), signal);
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}
