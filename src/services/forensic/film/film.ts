import { DeadlineError, withDeadline } from '../../../foundation/deadline.ts';
import { packageFile } from '../../../foundation/files.ts';
import { createThreadPool } from '../../../foundation/thread-pool.ts';
import { isHumanInstalled } from '../../../media/human.ts';
import type { RecordingFacts } from '../../../media/recording/facts.ts';
import { RecordingError } from '../../../media/recording/programs.ts';
import type { TimeRange } from '../../../media/recording/voice-activity.ts';
import { decodeRun, decodeSoundRun } from '../../../media/recording/window.ts';
import { type Inapplicable, inapplicable } from '../recording-results.ts';
import type { RecordingDetectorResult } from '../resources/recording.ts';
import type { FaceTrack } from './faces.ts';
import { type FilmWindow, lipSync, pulse } from './film-findings.ts';
import type { FaceTask } from './forensic-faces-worker.ts';
import { loudnessOf } from './lip-sync.ts';

/** Results of the detectors that follow a face through a film. */
export interface FilmExamination {
  readonly results: readonly RecordingDetectorResult[];
  /** Why the film could not be examined; undefined when it was. */
  readonly lost: string | undefined;
}

/** Examines the faces in films. */
export interface FilmExaminer {
  /** Rejects with the signal's reason alone. */
  examine(film: FilmInput, signal: AbortSignal): Promise<FilmExamination>;
  /** Whether the library that finds faces is installed. */
  readonly isInstalled: () => boolean;
  close(): Promise<void>;
}

/** A film, and the times in which voices were detected. */
export interface FilmInput {
  readonly path: string;
  readonly facts: RecordingFacts;
  readonly durationSec: number;
  readonly voices: readonly TimeRange[];
  readonly timeoutMs: number;
}

/** Length of the examined window: frame by frame it takes as long as the rest of the film. */
const WINDOW_SECONDS = 12;
const FRAMES_A_SECOND = 25;
/** Longer side of the frames: a face of a sixth of it is large enough. */
const LONGEST_SIDE = 384;
const SOUND_RATE = 16_000;
/** Memory of the thread in megabytes, beside that of WebAssembly. */
const HEAP_MEGABYTES = 512;

const voicedIn = (voices: readonly TimeRange[], fromSec: number, toSec: number) =>
  voices.reduce(
    (sum, { startSec, endSec }) => sum + Math.max(0, Math.min(toSec, endSec) - Math.max(fromSec, startSec)),
    0,
  );

/** The window with most seconds of voice; the first of several. */
export function chooseWindow(
  voices: readonly TimeRange[],
  durationSec: number,
): { fromSec: number; seconds: number } {
  const seconds = Math.min(WINDOW_SECONDS, durationSec);
  const starts = [0, ...voices.map(({ startSec }) => Math.max(0, Math.min(startSec, durationSec - seconds)))];
  const best = starts.reduce((one, two) =>
    voicedIn(voices, two, two + seconds) > voicedIn(voices, one, one + seconds) ? two : one,
  );
  return { fromSec: best, seconds };
}

const noResults = (code: Inapplicable, lost?: string): FilmExamination => ({
  results: [inapplicable('lip_sync', code), inapplicable('pulse', code)],
  lost,
});

function reasonOf(error: unknown): string {
  if (error instanceof RecordingError) return error.reason;
  return error instanceof DeadlineError && error.reason === 'timeout' ? 'timeout' : 'engine_failed';
}

/** Starts no thread before the first film. */
export function createFilmExaminer(
  folder = packageFile('optional', 'recognition'),
  isInstalled = () => isHumanInstalled(folder),
): FilmExaminer {
  const thread = createThreadPool<FaceTask, FaceTrack>({
    script: 'forensic-faces-worker.js',
    threads: 1,
    heapMegabytes: HEAP_MEGABYTES,
  });
  const windowOf = async (film: FilmInput, signal: AbortSignal): Promise<FilmWindow | undefined> => {
    const { path, facts, voices, timeoutMs } = film;
    if (facts.picture === null) return undefined;
    const options = { ...chooseWindow(voices, film.durationSec), timeoutMs };
    const { picture } = facts;
    const frameOptions = { picture, longestSide: LONGEST_SIDE, framesPerSecond: FRAMES_A_SECOND };
    const run = await decodeRun(path, { ...options, ...frameOptions }, signal);
    const sound =
      facts.sound === null ? undefined : await decodeSoundRun(path, { ...options, rate: SOUND_RATE }, signal);
    // Small buffers share their memory with others and cannot be handed over.
    const isAlone = run.rgb.byteLength === run.rgb.buffer.byteLength;
    const transferList = isAlone ? [run.rgb.buffer as ArrayBuffer] : [];
    const faces = await thread.run({ ...run, folder }, signal, transferList);
    return {
      fromSec: options.fromSec,
      framesPerSecond: FRAMES_A_SECOND,
      ownFramesPerSecond: picture.framesPerSecond,
      faces,
      loudness: sound && loudnessOf(sound, FRAMES_A_SECOND, faces.length),
      voicedSec: voicedIn(voices, options.fromSec, options.fromSec + options.seconds),
    };
  };
  return {
    isInstalled,
    examine: async (film, signal) => {
      if (!isInstalled()) return noResults('engine_missing');
      try {
        // Half of the time limit: the results for sound and hashes must not be lost with a slow film.
        const window = await withDeadline(film.timeoutMs / 2, signal, (limited) => windowOf(film, limited));
        if (window === undefined) return { results: [], lost: undefined };
        return { results: [lipSync(window), pulse(window)], lost: undefined };
      } catch (error) {
        signal.throwIfAborted();
        return noResults('engine_failed', reasonOf(error));
      }
    },
    close: thread.close,
  };
}
