import { createFairQueue, maxPlacesPerCaller } from '../../foundation/fair-queue.ts';
import type { Probeable } from '../../foundation/health.ts';
import { readFacts } from '../../media/recording/facts.ts';
import { mediaPrograms, RecordingError } from '../../media/recording/programs.ts';
import { type RecordingFailures, recordingFailure } from '../../media/recording/recording-failures.ts';
import { decodeSound, type Sound } from '../../media/recording/sound.ts';
import { detectVoices, type VoiceActivity } from '../../media/recording/voice-activity.ts';
import { errors } from './errors.ts';
import { SAMPLE_RATE } from './pieces.ts';
import type { SpeechSettings } from './settings.ts';

/** A decoded recording, and the stretches in which voices were detected. */
export interface DecodedRecording {
  readonly sound: Sound;
  readonly durationSec: number;
  readonly voices: VoiceActivity;
}

/** Decodes recordings, a few at a time; callers share the queue fairly. */
export interface Recordings extends Probeable {
  /** Runs the work of a request, receiving its file included, unless the queue is full for this caller. */
  admitted<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
  /** Decodes a file and works on it in the same turn. Throws a failure of the error table. */
  withRecording<Result>(
    file: { readonly path: string; readonly caller: string },
    work: (recording: DecodedRecording) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result>;
}

const FAILURES: RecordingFailures = { ...errors, no_track: errors.no_sound, too_much: errors.broken_media };

/** Creates the reader of recordings; no program is started before the first file. */
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
      eachRunning: maxPlacesPerCaller(settings.SPEECH_RUNNING),
    },
    (share) => (share === 'own' ? errors.rate_limited() : errors.overloaded()),
  );
  const read = async (path: string, signal: AbortSignal): Promise<DecodedRecording> => {
    const facts = await readFacts(path, signal);
    if (facts.sound === null) throw new RecordingError('no_track');
    const mostSeconds = settings.SPEECH_MAX_SECONDS;
    // A recording whose header says that it is too long is refused before it is decoded.
    if ((facts.durationSec ?? 0) > mostSeconds) throw new RecordingError('too_long');
    const limits = { rate: SAMPLE_RATE, mostSeconds, timeoutMs: settings.SPEECH_DECODE_TIMEOUT_MS };
    const sound = await decodeSound(path, limits, signal);
    return {
      sound,
      durationSec: sound.samples.length / sound.rate,
      voices: await detectVoices(sound, signal),
    };
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
