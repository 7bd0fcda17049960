import type { LossReason } from '../../../foundation/client.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import { type ExtractorsClient, type MediumMetadata, readMetadata } from '../dependencies/extractors.ts';
import {
  examineRecording,
  type RecordingForensicClient,
  type RecordingForensicOutcome,
} from '../dependencies/recording-forensics.ts';
import { type SpeechClient, type SpeechOutcome, transcribe } from '../dependencies/speech.ts';
import type { Reason } from '../reasons.ts';
import type { StoredMedia } from '../store/media.ts';
import type { MediaLibrary } from './library.ts';
import { createTurns, type Waiting } from './turns.ts';

/** On whose behalf a recording is examined, and how its wait is told. */
export interface RecordingRun extends Waiting {
  readonly correlationId: string;
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
}

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
  /** `quick`: what the file says of itself alone. Never throws for what lies outside. */
  examine(mediaId: string, depth: 'full' | 'quick', run: RecordingRun): Promise<RecordingOutcome>;
}

/** What the desk works with; a service that is switched off is undefined. */
export interface RecordingDeskDependencies {
  readonly library: Pick<MediaLibrary, 'find' | 'open'>;
  readonly speech: SpeechClient | undefined;
  readonly forensic: RecordingForensicClient | undefined;
  readonly extractors: ExtractorsClient | undefined;
  /** Recordings that this process has worked on at once. */
  readonly atOnce: () => number;
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

async function examine(
  dependencies: RecordingDeskDependencies,
  mediaId: string,
  depth: 'full' | 'quick',
  run: RecordingRun,
): Promise<RecordingOutcome> {
  const { library, forensic } = dependencies;
  const media = await library.find({ mediaId }, run.account);
  if (media === undefined) return { refused: { code: 'medium_lost', values: {} } };
  const forensicWork =
    forensic === undefined || depth === 'quick'
      ? undefined
      : withFile(library, media, (file) => examineRecording(forensic, file, run));
  const [examined, metadata] = await Promise.all([forensicWork, metadataOf(dependencies, media, run)]);
  run.signal.throwIfAborted();
  if (forensicWork !== undefined && examined === undefined)
    return { lost: 'unavailable', dependency: 'objects' };
  return { media, forensic: examined, ...metadata };
}

/** Opens the desk: a few recordings at once, users in turns; the time of a step counts from its turn. */
export function createRecordingDesk(dependencies: RecordingDeskDependencies): RecordingDesk {
  const turns = createTurns(dependencies.atOnce);
  return {
    hear: async (mediaId, run) =>
      (await turns.run(run, () => hear(dependencies, mediaId, run))) ?? { lost: 'rate_limited' },
    examine: async (mediaId, depth, run) =>
      (await turns.run(run, () => examine(dependencies, mediaId, depth, run))) ?? {
        lost: 'rate_limited',
        dependency: 'forensic',
      },
  };
}
