import { withDeadline } from '../../foundation/deadline.ts';
import { createFairQueue, fullQueueOf } from '../../foundation/fair-queue.ts';
import type { Probeable } from '../../foundation/health.ts';
import { type RecordingFacts, readFacts } from '../../media/recording/facts.ts';
import { FRAMES_A_SECOND, type FrameHash, hashFilm } from '../../media/recording/film-hashes.ts';
import { mediaPrograms, RecordingError, type RecordingReason } from '../../media/recording/programs.ts';
import { type RecordingFailures, recordingFailure } from '../../media/recording/recording-failures.ts';
import { decodeSound } from '../../media/recording/sound.ts';
import { detectVoices, type VoiceActivity } from '../../media/recording/voice-activity.ts';
import { errors } from './errors.ts';
import { createFilmExaminer, type FilmExamination, type FilmExaminer } from './film/film.ts';
import type { RecordingDetectorResult } from './resources/recording.ts';
import type { ForensicSettings } from './settings.ts';
import { bandwidthSteps } from './sound/bandwidth-steps.ts';
import { bandwidthOf } from './sound/features.ts';
import { bandwidthChange, bandwidthLimit, digitalSilence } from './sound/sound-findings.ts';

/** Results for the sound track of a recording. */
interface SoundExamination {
  readonly durationSec: number;
  readonly voices: VoiceActivity;
  readonly bandwidthHz: number | null;
  readonly results: readonly RecordingDetectorResult[];
}

/** A recording that was examined. */
export interface ExaminedRecording {
  readonly facts: RecordingFacts;
  /** Undefined without a sound track. */
  readonly soundExamination: SoundExamination | undefined;
  /** Undefined without moving pictures, and when they could not be read. */
  readonly hashes: readonly FrameHash[] | undefined;
  /** Results of the detectors that follow a face; undefined at depth `quick`. */
  readonly film: FilmExamination | undefined;
  /** Why the moving pictures were not read. */
  readonly lost: RecordingReason | undefined;
}

/** The file to examine, and how thoroughly. */
export interface RecordingRequest {
  readonly path: string;
  /** quick: faces are not searched for. */
  readonly depth: 'full' | 'quick';
}

/** Examines recordings, a few at a time, callers in turns. */
export interface RecordingExaminer extends Probeable {
  /** Does all work on a request, receiving its file included. Throws the failure with which it is refused before that. */
  admitted<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
  /** Throws a failure of the error table. */
  examine(order: RecordingRequest, caller: string, signal: AbortSignal): Promise<ExaminedRecording>;
  close(): Promise<void>;
}

const NO_FACES = 'faces are not looked for in films; `limpede setup recognition` installs what does it';
/** Recordings that are examined at once. */
const AT_ONCE = 1;
/** Higher rates carry nothing that people hear, and take memory. */
const HIGHEST_RATE = 48_000;

const FAILURES: RecordingFailures = {
  ...errors,
  no_track: errors.no_tracks,
  too_much: errors.too_many_pixels,
};

/** Examines the sound track; undefined when there is none. */
async function examineSound(
  path: string,
  { sound: track }: RecordingFacts,
  settings: ForensicSettings,
  signal: AbortSignal,
): Promise<SoundExamination | undefined> {
  if (track === null) return undefined;
  const rate = Math.min(HIGHEST_RATE, track.sampleRate);
  const limits = {
    rate,
    mostSeconds: settings.FORENSIC_MAX_SECONDS,
    timeoutMs: settings.FORENSIC_RECORDING_TIMEOUT_MS,
  };
  const sound = await decodeSound(path, limits, signal);
  const voices = await detectVoices(sound, signal);
  const bandwidth = bandwidthOf(sound);
  const steps = await bandwidthSteps(sound, signal);
  return {
    durationSec: sound.samples.length / rate,
    voices,
    bandwidthHz: bandwidth?.hertz ?? null,
    results: [digitalSilence(sound, voices.voicedSec), bandwidthChange(steps), bandwidthLimit(bandwidth)],
  };
}

/** Hashes the frames of a recording. A film whose pictures cannot be read loses this part alone. */
async function hashPictures(
  path: string,
  { picture, sound, startSec }: RecordingFacts,
  settings: ForensicSettings,
  signal: AbortSignal,
): Promise<Pick<ExaminedRecording, 'hashes' | 'lost'>> {
  if (picture === null) return { hashes: undefined, lost: undefined };
  const limits = {
    mostSeconds: settings.FORENSIC_MAX_SECONDS,
    timeoutMs: settings.FORENSIC_RECORDING_TIMEOUT_MS,
  };
  try {
    return { hashes: await hashFilm(path, { picture, startSec, ...limits }, signal), lost: undefined };
  } catch (error) {
    if (sound === null || !(error instanceof RecordingError)) throw error;
    return { hashes: undefined, lost: error.reason };
  }
}

/** Looks at the faces of a film that could be read. */
async function examineFaces(
  path: string,
  { facts, soundExamination, hashes }: Pick<ExaminedRecording, 'facts' | 'soundExamination' | 'hashes'>,
  films: FilmExaminer,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<FilmExamination | undefined> {
  if (hashes === undefined) return undefined;
  const last = hashes.at(-1);
  // A hash stands for the time until the next.
  const durationSec = last === undefined ? 0 : last.timeSec + 1 / FRAMES_A_SECOND;
  const voices = soundExamination?.voices.ranges ?? [];
  return films.examine({ path, facts, durationSec, voices, timeoutMs }, signal);
}

/** Nothing is started before the first recording. */
export function createRecordingExaminer(
  settings: ForensicSettings,
  films: FilmExaminer = createFilmExaminer(),
): RecordingExaminer {
  const queue = createFairQueue(
    {
      running: AT_ONCE,
      get waiting() {
        return settings.FORENSIC_QUEUE_SIZE;
      },
      get each() {
        return settings.FORENSIC_CALLER_SHARE;
      },
    },
    fullQueueOf(errors),
  );
  const work = async ({ path, depth }: RecordingRequest, signal: AbortSignal): Promise<ExaminedRecording> => {
    const facts = await readFacts(path, signal);
    if (facts.sound === null && facts.picture === null) throw new RecordingError('no_track');
    if ((facts.durationSec ?? 0) > settings.FORENSIC_MAX_SECONDS) throw new RecordingError('too_long');
    const soundExamination = await examineSound(path, facts, settings, signal);
    const examined = { facts, soundExamination, ...(await hashPictures(path, facts, settings, signal)) };
    const timeoutMs = settings.FORENSIC_RECORDING_TIMEOUT_MS;
    const film = depth === 'quick' ? undefined : await examineFaces(path, examined, films, timeoutMs, signal);
    return { ...examined, film };
  };
  return {
    get note() {
      return films.isInstalled() ? 'faces are looked for in films' : NO_FACES;
    },
    probe: mediaPrograms.probe,
    admitted: queue.admitted,
    examine: (order, caller, signal) =>
      queue
        .run(
          caller,
          () => withDeadline(settings.FORENSIC_RECORDING_TIMEOUT_MS, signal, (ended) => work(order, ended)),
          signal,
        )
        .catch((error: unknown) => {
          throw recordingFailure(error, FAILURES);
        }),
    close: () => films.close(),
  };
}
