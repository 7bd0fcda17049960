import type { LossReason } from '../../../foundation/client.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import { type ExtractorsClient, type MediumMetadata, readMetadata } from '../dependencies/extractors.ts';
import {
  drawRecording,
  type ExtractedOverview,
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
import { createMediaQueue, type MediaQueue, type QueuedMediaWork } from './media-queue.ts';
import { lookUpRecording, type RecordingHistory } from './recording-history.ts';
import { type DrawingStorage, type StoredDrawing, storeDrawing } from './stored-drawings.ts';
import { examineVideo, type VideoFindings } from './video-examination.ts';

/** One examination of a recording: for whom, and what is reported while it runs. */
export interface RecordingRun extends QueuedMediaWork {
  readonly correlationId: string;
  /** Reports that a stage of a long step begins. */
  readonly onStageStarted?: ((stage: WorkStage) => Promise<void>) | undefined;
  /** What is spoken, as the sender of the recording says: a code of ISO 639. */
  readonly spokenLanguage?: string | undefined;
}

/** The findings of an examined recording, by source. */
export interface RecordingFindings {
  readonly media: StoredMedia;
  /** undefined: the forensic service is switched off, or was not asked. */
  readonly forensic: RecordingForensicOutcome | undefined;
  /** What its metadata say; undefined: they were not read. */
  readonly metadata: MediumMetadata | undefined;
  /** Why the extractors gave nothing; undefined when they did, or are switched off. */
  readonly metadataLost: LossReason | undefined;
  /** undefined: it is no video, or was examined quickly. */
  readonly video: VideoFindings | undefined;
  /** null: it could not be looked up. */
  readonly seenBefore: RecordingSeenBefore | null;
}

/** Pictures that show a recording to people, and the text in its frames. */
export interface RecordingOverview {
  readonly waveform: MadePicture | null;
  readonly spectrogram: MadePicture | null;
  readonly frames: readonly RecordingFrame[];
  /** The text in those frames that were read. */
  readonly texts: readonly { readonly timeSec: number; readonly text: string }[];
  readonly leftOut: readonly { readonly part: OverviewPart; readonly reason: Reason }[];
}

/** The outcome of drawing an overview. */
export type RecordingOverviewOutcome =
  | { readonly overview: RecordingOverview }
  | { readonly refused: Reason }
  | { readonly lost: LossReason };

/** Draws the overview of a stored recording. Failures of services are outcomes, not errors. */
export type DrawOverview = (mediaId: string, run: RecordingRun) => Promise<RecordingOverviewOutcome>;

/** The outcome of an examination. */
export type RecordingOutcome =
  | RecordingFindings
  | { readonly refused: Reason }
  | { readonly lost: LossReason; readonly dependency: 'forensic' | 'objects' };

/** Transcribes a stored recording. Failures of services are outcomes, not errors. */
export type TranscribeRecording = (mediaId: string, run: RecordingRun) => Promise<SpeechOutcome>;

/** Transcribes, draws and examines stored recordings of users. */
export interface RecordingExaminer {
  transcribe: TranscribeRecording;
  drawOverview: DrawOverview;
  /** `quick` reads only the metadata of the file. Failures of services are outcomes, not errors. */
  examine(mediaId: string, depth: 'full' | 'quick', run: RecordingRun): Promise<RecordingOutcome>;
}

/** What the examiner works with; a service that is switched off is undefined. */
export interface RecordingExaminerDependencies extends DrawingStorage, RecordingHistory {
  readonly speech: SpeechClient | undefined;
  readonly forensic: RecordingForensicClient | undefined;
  readonly extractors: (ExtractorsClient & OverviewClient) | undefined;
  readonly video: VideoClient | undefined;
  /** Recordings that this process has worked on at once. */
  readonly atOnce: () => number;
  /** Length of the queue from which optional parts are left out. */
  readonly shedFrom: () => number;
}

type Library = RecordingExaminerDependencies['library'];

/** Opens the bytes of a stored recording for `use`, and closes them after it; undefined when the store cannot read them. */
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

async function transcribeStored(
  { library, speech }: RecordingExaminerDependencies,
  mediaId: string,
  run: RecordingRun,
): Promise<SpeechOutcome> {
  if (speech === undefined) return { refused: { code: 'speech_off', values: {} } };
  const media = await library.find({ mediaId }, run.account);
  if (media === undefined) return { refused: { code: 'medium_lost', values: {} } };
  const outcome = await withFile(library, media, (file) => transcribe(speech, file, media.durationSec, run));
  return outcome ?? { refused: { code: 'medium_lost', values: {} } };
}

/** What the metadata of a stored recording say. */
async function metadataOf(
  { extractors, library }: RecordingExaminerDependencies,
  media: StoredMedia,
  run: RecordingRun,
): Promise<Pick<RecordingFindings, 'metadata' | 'metadataLost'>> {
  const none = { metadata: undefined, metadataLost: undefined };
  if (extractors === undefined) return none;
  const read = await withFile(library, media, (file) => readMetadata(extractors, file, run));
  if (read === undefined) return none;
  return 'lost' in read ? { ...none, metadataLost: read.lost } : { ...none, metadata: read.metadata };
}

/**
 * The optional parts in the order in which they are left out under load: the first from a queue of `shedFrom` recordings on, the
 * second from 1.5 times as many, the description of a video from twice as many.
 */
const SHED: readonly OverviewPart[] = ['frame_text', 'spectrogram'];
const SHED_STEP = 0.5;
const DESCRIPTION_SHED = 2;
const SOUND_PARTS: readonly OverviewPart[] = ['waveform', 'spectrogram'];
const PARTS: readonly OverviewPart[] = ['frames', ...SOUND_PARTS, 'frame_text'];

/** The parts of an overview that are left out at this length of the queue. */
function shedParts(waiting: number, from: number): OverviewPart[] {
  return SHED.filter((_, place) => waiting >= from * (1 + SHED_STEP * place));
}

/** Why a part of an overview is missing, by the reason of the extractors. */
function whyMissing({ part, reason }: ExtractedOverview['degraded'][number]): Reason {
  if (reason === 'not_applicable' && SOUND_PARTS.includes(part))
    return { code: 'recording_without_sound', values: {} };
  if (reason === 'engine_missing') return { code: 'recording_tools_missing', values: {} };
  if (reason === 'timeout') return { code: 'recording_part_late', values: {} };
  return { code: 'recording_part_not_made', values: {} };
}

/** Stores the pictures that were drawn of a recording. */
async function storeDrawings(
  dependencies: RecordingExaminerDependencies,
  media: StoredMedia,
  drawn: ExtractedOverview,
): Promise<Omit<RecordingOverview, 'leftOut'>> {
  const keep = (name: string, picture: StoredDrawing | null) =>
    storeDrawing(dependencies, media, name, picture);
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

async function drawOverviewOf(
  dependencies: RecordingExaminerDependencies,
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
  if (outcome.overview === undefined) return { refused: { code: 'recording_not_examined', values: {} } };
  const leftOut = [
    ...shed.map((part) => ({ part, reason: { code: 'left_out_under_load', values: {} } as const })),
    ...outcome.overview.degraded.map((missing) => ({ part: missing.part, reason: whyMissing(missing) })),
  ];
  return { overview: { ...(await storeDrawings(dependencies, media, outcome.overview)), leftOut } };
}

async function examine(
  dependencies: RecordingExaminerDependencies,
  mediaId: string,
  depth: 'full' | 'quick',
  queue: MediaQueue,
  run: RecordingRun,
): Promise<RecordingOutcome> {
  const { library, forensic, video, shedFrom } = dependencies;
  const media = await library.find({ mediaId }, run.account);
  if (media === undefined) return { refused: { code: 'medium_lost', values: {} } };
  await run.onStageStarted?.('examination');
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
  if (isWatched) await run.onStageStarted?.('frames');
  const watched = isWatched ? await examineVideo(video, watching, run) : undefined;
  const hashes = examined !== undefined && 'analysis' in examined ? examined.analysis.hashes : null;
  const frames = hashes?.frames.map(({ at_s: timeSec, value: hash, quality }) => ({
    timeSec,
    hash,
    quality,
  }));
  const seenBefore = await lookUpRecording(dependencies, media, frames);
  return { media, forensic: examined, ...metadata, video: watched, seenBefore };
}

/** Opens the examiner: a few recordings at once, users in turn; waiting does not count against a step's time limit. */
export function createRecordingExaminer(dependencies: RecordingExaminerDependencies): RecordingExaminer {
  const queue = createMediaQueue(dependencies.atOnce);
  return {
    transcribe: async (mediaId, run) =>
      (await queue.run(run, () => transcribeStored(dependencies, mediaId, run))) ?? { lost: 'rate_limited' },
    drawOverview: async (mediaId, run) =>
      (await queue.run(run, () => drawOverviewOf(dependencies, mediaId, queue.waiting(), run))) ?? {
        lost: 'rate_limited',
      },
    examine: async (mediaId, depth, run) =>
      (await queue.run(run, () => examine(dependencies, mediaId, depth, queue, run))) ?? {
        lost: 'rate_limited',
        dependency: 'forensic',
      },
  };
}
