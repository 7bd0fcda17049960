import { withDeadline } from '../../foundation/deadline.ts';
import { createFairQueue, fullQueueOf } from '../../foundation/fair-queue.ts';
import type { Probed } from '../../foundation/health.ts';
import { type RecordingFacts, readFacts } from '../../media/recording/facts.ts';
import { FRAMES_A_SECOND, type FrameHash, hashFilm } from '../../media/recording/film-hashes.ts';
import { mediaPrograms, RecordingError, type RecordingReason } from '../../media/recording/programs.ts';
import { type RecordingFailures, recordingFailure } from '../../media/recording/recording-failures.ts';
import { decodeSound } from '../../media/recording/sound.ts';
import { findVoices, type VoiceActivity } from '../../media/recording/voice-activity.ts';
import { errors } from './errors.ts';
import { createFilmExaminer, type FilmExaminer, type LookedAtFilm } from './film/film.ts';
import type { RecordingDetectorResult } from './resources/recording.ts';
import type { ForensicSettings } from './settings.ts';
import { bandwidthSteps } from './sound/bandwidth-steps.ts';
import { bandwidthOf } from './sound/features.ts';
import { bandwidthChange, digitalSilence, earlyEnd } from './sound/sound-findings.ts';

/** What was heard in a recording. */
interface ExaminedSound {
  readonly durationSec: number;
  readonly voices: VoiceActivity;
  readonly bandwidthHz: number | null;
  readonly results: readonly RecordingDetectorResult[];
}

/** A recording that was examined. */
export interface ExaminedRecording {
  readonly facts: RecordingFacts;
  /** Undefined without a sound track. */
  readonly heard: ExaminedSound | undefined;
  /** Undefined without moving pictures, and when they were not read. */
  readonly hashes: readonly FrameHash[] | undefined;
  /** What faces tell; undefined when nobody was to look for them. */
  readonly film: LookedAtFilm | undefined;
  /** Why the moving pictures were not read. */
  readonly lost: RecordingReason | undefined;
}

/** What is to be examined, and how closely. */
export interface RecordingOrder {
  readonly path: string;
  /** quick: nobody looks for faces. */
  readonly depth: 'full' | 'quick';
}

/** Examines recordings, a few at a time, callers in turns. */
export interface RecordingExaminer extends Probed {
  /** Does all work on a request, receiving its file included. Throws the failure with which it is refused before that. */
  admitted<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
  /** Throws a failure of the error table. */
  examine(order: RecordingOrder, caller: string, signal: AbortSignal): Promise<ExaminedRecording>;
  close(): Promise<void>;
}

const NO_FACES = 'faces are not looked for in films; `limpede setup recognition` installs what does it';
/** Recordings that are examined at once. */
const AT_ONCE = 1;
/** More says nothing about what people hear, and takes memory. */
const HIGHEST_RATE = 48_000;

const FAILURES: RecordingFailures = {
  ...errors,
  no_track: errors.no_tracks,
  too_much: errors.too_many_pixels,
};

/** Listens to a recording; undefined without a sound track. */
async function hear(
  path: string,
  { sound: track }: RecordingFacts,
  settings: ForensicSettings,
  signal: AbortSignal,
): Promise<ExaminedSound | undefined> {
  if (track === null) return undefined;
  const rate = Math.min(HIGHEST_RATE, track.sampleRate);
  const limits = {
    rate,
    mostSeconds: settings.FORENSIC_MAX_SECONDS,
    timeoutMs: settings.FORENSIC_RECORDING_TIMEOUT_MS,
  };
  const sound = await decodeSound(path, limits, signal);
  const voices = await findVoices(sound, signal);
  const bandwidth = bandwidthOf(sound);
  const steps = await bandwidthSteps(sound, signal);
  return {
    durationSec: sound.samples.length / rate,
    voices,
    bandwidthHz: bandwidth?.hertz ?? null,
    results: [digitalSilence(sound, voices.voicedSec), bandwidthChange(steps), earlyEnd(bandwidth)],
  };
}

/** Hashes the moving pictures of a recording; a film that is heard but not seen loses this part alone. */
async function hash(
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
async function look(
  path: string,
  { facts, heard, hashes }: Pick<ExaminedRecording, 'facts' | 'heard' | 'hashes'>,
  films: FilmExaminer,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<LookedAtFilm | undefined> {
  if (hashes === undefined) return undefined;
  const last = hashes.at(-1);
  // A hash stands for the time until the next.
  const durationSec = last === undefined ? 0 : last.timeSec + 1 / FRAMES_A_SECOND;
  const voices = heard?.voices.stretches ?? [];
  return films.look({ path, facts, durationSec, voices, timeoutMs }, signal);
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
  const work = async ({ path, depth }: RecordingOrder, signal: AbortSignal): Promise<ExaminedRecording> => {
    const facts = await readFacts(path, signal);
    if (facts.sound === null && facts.picture === null) throw new RecordingError('no_track');
    if ((facts.durationSec ?? 0) > settings.FORENSIC_MAX_SECONDS) throw new RecordingError('too_long');
    const heard = await hear(path, facts, settings, signal);
    const seen = { facts, heard, ...(await hash(path, facts, settings, signal)) };
    const timeoutMs = settings.FORENSIC_RECORDING_TIMEOUT_MS;
    const film = depth === 'quick' ? undefined : await look(path, seen, films, timeoutMs, signal);
    return { ...seen, film };
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
