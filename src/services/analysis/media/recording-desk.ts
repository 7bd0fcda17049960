import type { LossReason } from '../../../foundation/client.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import { type ExtractorsClient, type MediumMetadata, readMetadata } from '../dependencies/extractors.ts';
import {
  type DrawnRecording,
  drawRecording,
  type OverviewClient,
  type OverviewPart,
} from '../dependencies/overview.ts';
import {
  examineRecording,
  type RecordingForensicClient,
  type RecordingForensicOutcome,
} from '../dependencies/recording-forensics.ts';
import { type SpeechClient, type SpeechOutcome, transcribe } from '../dependencies/speech.ts';
import type { VideoClient } from '../dependencies/video.ts';
import type { Reason } from '../reasons.ts';
import type { MadePicture } from '../resources/image-analysis.ts';
import type { RecordingFrame } from '../resources/recording.ts';
import type { RecordingSeenBefore } from '../resources/recording-seen-before.ts';
import type { WorkStage } from '../resources/work-stage.ts';
import type { StoredMedia } from '../store/media.ts';
import { type DrawnPicture, type Keeping, keepDrawn } from './drawn-pictures.ts';
import { type FilmMemory, lookUpRecording } from './film-memory.ts';
import { createMediaQueue, type MediaQueue, type QueuedMediaWork } from './media-queue.ts';
import { type WatchedVideo, watch } from './watching.ts';

/** On whose behalf a recording is examined, and how its wait is told. */
export interface RecordingRun extends QueuedMediaWork {
  readonly correlationId: string;
  /** Tells those who watch that a part of a long step begins. */
  readonly began?: ((stage: WorkStage) => Promise<void>) | undefined;
  /** What is spoken, as the sender of the recording says: a code of ISO 639. */
  readonly spokenLanguage?: string | undefined;
}

/** A stored recording, and what came of each look at it. */
export interface LookedAtRecording {
  readonly media: StoredMedia;
  /** undefined: the forensic service is switched off, or was not asked. */
  readonly forensic: RecordingForensicOutcome | undefined;
  /** What its metadata say; undefined: they were not read. */
  readonly metadata: MediumMetadata | undefined;
  /** Why the extractors gave nothing; undefined when they did, or are switched off. */
  readonly metadataLost: LossReason | undefined;
  /** undefined: it is no video, or was looked at quickly. */
  readonly watched: WatchedVideo | undefined;
  /** null: it could not be looked up. */
  readonly seenBefore: RecordingSeenBefore | null;
}

/** A recording as people see it, and what is written in it. */
export interface RecordingOverview {
  readonly waveform: MadePicture | null;
  readonly spectrogram: MadePicture | null;
  readonly frames: readonly RecordingFrame[];
  /** What is written in frames that were read. */
  readonly texts: readonly { readonly timeSec: number; readonly text: string }[];
  readonly leftOut: readonly { readonly part: OverviewPart; readonly reason: Reason }[];
}

/** What came of an overview. */
export type RecordingOverviewOutcome =
  | { readonly overview: RecordingOverview }
  | { readonly refused: Reason }
  | { readonly lost: LossReason };

/** Has a stored recording drawn; never throws for what lies outside. */
export type OverlookRecording = (mediaId: string, run: RecordingRun) => Promise<RecordingOverviewOutcome>;

/** What came of a recording. */
export type RecordingOutcome =
  | LookedAtRecording
  | { readonly refused: Reason }
  | { readonly lost: LossReason; readonly dependency: 'forensic' | 'objects' };

/** Has a stored recording transcribed; never throws for what lies outside. */
export type HearRecording = (mediaId: string, run: RecordingRun) => Promise<SpeechOutcome>;

/** Hears and examines stored recordings of users. */
export interface RecordingDesk {
  hear: HearRecording;
  overlook: OverlookRecording;
  /** `quick`: what the file says of itself alone. Never throws for what lies outside. */
  examine(mediaId: string, depth: 'full' | 'quick', run: RecordingRun): Promise<RecordingOutcome>;
}

/** What the desk works with; a service that is switched off is undefined. */
export interface RecordingDeskDependencies extends Keeping, FilmMemory {
  readonly speech: SpeechClient | undefined;
  readonly forensic: RecordingForensicClient | undefined;
  readonly extractors: (ExtractorsClient & OverviewClient) | undefined;
  readonly video: VideoClient | undefined;
  /** Recordings that this process has worked on at once. */
  readonly atOnce: () => number;
  /** Recordings that wait from which on optional parts are left out. */
  readonly shedFrom: () => number;
}

type Library = RecordingDeskDependencies['library'];

/** Lends the bytes of a stored recording as a file; undefined when the store does not give them. */
async function withFile<Result>(
  library: Library,
  media: StoredMedia,
  use: (file: OutgoingFile) => Promise<Result>,
): Promise<Result | undefined> {
  const content = await library.open(media).catch(() => undefined);
  if (content === undefined) return undefined;
  const file = { content, fileName: media.objectKey, mediaType: media.mimeType };
  return use(file).finally(() => content.destroy());
}

async function hear(
  { library, speech }: RecordingDeskDependencies,
  mediaId: string,
  run: RecordingRun,
): Promise<SpeechOutcome> {
  if (speech === undefined) return { refused: { code: 'speech_off', values: {} } };
  const media = await library.find({ mediaId }, run.account);
  if (media === undefined) return { refused: { code: 'medium_lost', values: {} } };
  const heard = await withFile(library, media, (file) => transcribe(speech, file, media.durationSec, run));
  return heard ?? { refused: { code: 'medium_lost', values: {} } };
}

/** What the metadata of a stored recording say. */
async function metadataOf(
  { extractors, library }: RecordingDeskDependencies,
  media: StoredMedia,
  run: RecordingRun,
): Promise<Pick<LookedAtRecording, 'metadata' | 'metadataLost'>> {
  const none = { metadata: undefined, metadataLost: undefined };
  if (extractors === undefined) return none;
  const read = await withFile(library, media, (file) => readMetadata(extractors, file, run));
  if (read === undefined) return none;
  return 'lost' in read ? { ...none, metadataLost: read.lost } : { ...none, metadata: read.metadata };
}

/**
 * The optional parts in the order in which they are left out when many recordings wait: the first from the limit on, the second from
 * one and a half of it, the description of a video from twice as many.
 */
const SHED: readonly OverviewPart[] = ['frame_text', 'spectrogram'];
const SHED_STEP = 0.5;
const DESCRIPTION_SHED = 2;
const SOUND_PARTS: readonly OverviewPart[] = ['waveform', 'spectrogram'];
const PARTS: readonly OverviewPart[] = ['frames', ...SOUND_PARTS, 'frame_text'];

/** The parts of an overview that are left out while so many wait. */
function shedParts(waiting: number, from: number): OverviewPart[] {
  return SHED.filter((_, place) => waiting >= from * (1 + SHED_STEP * place));
}

/** Why a part of an overview is missing, by the reason of the extractors. */
function whyMissing({ part, reason }: DrawnRecording['degraded'][number]): Reason {
  if (reason === 'not_applicable' && SOUND_PARTS.includes(part))
    return { code: 'recording_without_sound', values: {} };
  if (reason === 'engine_missing') return { code: 'recording_tools_missing', values: {} };
  if (reason === 'timeout') return { code: 'recording_part_late', values: {} };
  return { code: 'recording_part_not_made', values: {} };
}

/** Keeps what was drawn of a recording. */
async function kept(
  dependencies: RecordingDeskDependencies,
  media: StoredMedia,
  drawn: DrawnRecording,
): Promise<Omit<RecordingOverview, 'leftOut'>> {
  const keep = (name: string, picture: DrawnPicture | null) => keepDrawn(dependencies, media, name, picture);
  const frames: RecordingFrame[] = [];
  for (const { index, timestamp_s, picture } of drawn.frames)
    frames.push({ index, timestamp_s, picture: await keep(`frame-${index}`, picture) });
  return {
    waveform: await keep('waveform', drawn.waveform),
    spectrogram: await keep('spectrogram', drawn.spectrogram),
    frames,
    texts: drawn.frames.flatMap(({ timestamp_s: timeSec, text }) =>
      text === null ? [] : [{ timeSec, text }],
    ),
  };
}

async function overlook(
  dependencies: RecordingDeskDependencies,
  mediaId: string,
  waiting: number,
  run: RecordingRun,
): Promise<RecordingOverviewOutcome> {
  const { extractors, library, shedFrom } = dependencies;
  if (extractors === undefined) return { refused: { code: 'extractors_off', values: {} } };
  const media = await library.find({ mediaId }, run.account);
  if (media === undefined) return { refused: { code: 'medium_lost', values: {} } };
  const wanted = media.mediaType === 'video' ? PARTS : SOUND_PARTS;
  const shed = shedParts(waiting, shedFrom()).filter((part) => wanted.includes(part));
  const parts = wanted.filter((part) => !shed.includes(part));
  const outcome = await withFile(library, media, (file) => drawRecording(extractors, file, parts, run));
  run.signal.throwIfAborted();
  if (outcome === undefined) return { refused: { code: 'medium_lost', values: {} } };
  if ('lost' in outcome) return outcome;
  if (outcome.drawn === undefined) return { refused: { code: 'recording_not_examined', values: {} } };
  const leftOut = [
    ...shed.map((part) => ({ part, reason: { code: 'left_out_under_load', values: {} } as const })),
    ...outcome.drawn.degraded.map((missing) => ({ part: missing.part, reason: whyMissing(missing) })),
  ];
  return { overview: { ...(await kept(dependencies, media, outcome.drawn)), leftOut } };
}

async function examine(
  dependencies: RecordingDeskDependencies,
  mediaId: string,
  depth: 'full' | 'quick',
  queue: MediaQueue,
  run: RecordingRun,
): Promise<RecordingOutcome> {
  const { library, forensic, video, shedFrom } = dependencies;
  const media = await library.find({ mediaId }, run.account);
  if (media === undefined) return { refused: { code: 'medium_lost', values: {} } };
  await run.began?.('examination');
  const forensicWork =
    forensic === undefined || depth === 'quick'
      ? undefined
      : withFile(library, media, (file) => examineRecording(forensic, file, run));
  const [examined, metadata] = await Promise.all([forensicWork, metadataOf(dependencies, media, run)]);
  run.signal.throwIfAborted();
  if (forensicWork !== undefined && examined === undefined)
    return { lost: 'unavailable', dependency: 'objects' };
  const isWatched = media.mediaType === 'video' && depth === 'full';
  const watching = {
    withFile: <Result>(use: (file: OutgoingFile) => Promise<Result>) => withFile(library, media, use),
    durationSec: media.durationSec,
    isCrowded: queue.waiting() >= DESCRIPTION_SHED * shedFrom(),
  };
  if (isWatched) await run.began?.('frames');
  const watched = isWatched ? await watch(video, watching, run) : undefined;
  const hashes = examined !== undefined && 'analysis' in examined ? examined.analysis.hashes : null;
  const frames = hashes?.frames.map(({ at_s: timeSec, value: hash, quality }) => ({
    timeSec,
    hash,
    quality,
  }));
  const seenBefore = await lookUpRecording(dependencies, media, frames);
  return { media, forensic: examined, ...metadata, watched, seenBefore };
}

/** Opens the desk: a few recordings at once, users in turn; the time of a step counts from its turn. */
export function createRecordingDesk(dependencies: RecordingDeskDependencies): RecordingDesk {
  const queue = createMediaQueue(dependencies.atOnce);
  return {
    hear: async (mediaId, run) =>
      (await queue.run(run, () => hear(dependencies, mediaId, run))) ?? { lost: 'rate_limited' },
    overlook: async (mediaId, run) =>
      (await queue.run(run, () => overlook(dependencies, mediaId, queue.waiting(), run))) ?? {
        lost: 'rate_limited',
      },
    examine: async (mediaId, depth, run) =>
      (await queue.run(run, () => examine(dependencies, mediaId, depth, queue, run))) ?? {
        lost: 'rate_limited',
        dependency: 'forensic',
      },
  };
}
