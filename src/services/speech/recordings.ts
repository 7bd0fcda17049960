import { createFairQueue, mostOfOne } from '../../foundation/fair-queue.ts';
import type { Probed } from '../../foundation/health.ts';
import { readFacts } from '../../media/recording/facts.ts';
import { mediaPrograms, RecordingError } from '../../media/recording/programs.ts';
import { type RecordingFailures, recordingFailure } from '../../media/recording/recording-failures.ts';
import { decodeSound, type Sound } from '../../media/recording/sound.ts';
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

const FAILURES: RecordingFailures = { ...errors, no_track: errors.no_sound, too_much: errors.broken_media };

/** Prepares reading; nothing is started before the first file. */
export function createRecordings(settings: SpeechSettings): Recordings {
  const queue = createFairQueue(
    {
      running: settings.SPEECH_RUNNING,
      get waiting() {
        return settings.SPEECH_QUEUE_SIZE;
      },
      get each() {
        return settings.SPEECH_CALLER_SHARE;
      },
      eachRunning: mostOfOne(settings.SPEECH_RUNNING),
    },
    (share) => (share === 'own' ? errors.rate_limited() : errors.overloaded()),
  );
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
    admitted: queue.admitted,
    withRecording: ({ path, caller }, work, signal) =>
      queue
        .run(caller, async () => work(await read(path, signal)), signal)
        .catch((error: unknown) => {
          throw recordingFailure(error, FAILURES);
        }),
  };
}
