import type { Readable } from 'node:stream';
import type { LossReason } from '../../../foundation/client.ts';
import type { Logger } from '../../../foundation/log.ts';
import type { PictureAnalysis } from '../../forensic/contract.ts';
import {
  type ContentOutcome,
  createContentRecogniser,
  type ExtractorsClient,
  type MediumMetadata,
  type RecogniseContent,
  readMetadata,
} from '../dependencies/extractors.ts';
import { examineForensically, type ForensicClient } from '../dependencies/forensic.ts';
import type { Reason } from '../reasons.ts';
import type { MadePicture, SeenBefore } from '../resources/image-analysis.ts';
import type { StoredMedia } from '../store/media.ts';
import {
  findNearDuplicateFactChecks,
  findNearDuplicateSessions,
  isDistinctive,
  storeHash,
} from '../store/picture-hashes.ts';
import type { Queries } from '../store/tables.ts';
import type { MediaLibrary } from './library.ts';
import type { MediaAddresses } from './media-addresses.ts';
import { createMediaQueue, type QueuedMediaWork } from './media-queue.ts';
import { publicClaims } from './public-claims.ts';
import { storeDrawing } from './stored-drawings.ts';

/** One examination of a picture: for whom, and how deep; `quick` reads only metadata and hash. */
export interface PictureRun extends QueuedMediaWork {
  readonly correlationId: string;
  readonly depth: 'full' | 'quick';
}

/** The findings of an examined picture. */
export interface PictureFindings {
  readonly analysis: PictureAnalysis;
  /** What its metadata say; undefined: they were not read. */
  readonly metadata: MediumMetadata | undefined;
  /** What objects and faces it shows, or that no recogniser is installed; undefined: not requested. */
  readonly shown: ContentOutcome;
  /** Why the extractors gave nothing; undefined when they did, or are switched off. */
  readonly metadataLost: LossReason | undefined;
  /** A small copy; null when it was not drawn or kept. */
  readonly preview: MadePicture | null;
  /** The pictures that detectors drew, by detector, as far as they were kept. */
  readonly overlays: Readonly<Record<string, MadePicture>>;
  /** null: it could not be looked up. */
  readonly seenBefore: SeenBefore | null;
}

/** The outcome of an examination: findings, the reason why there are none, or the service that was lost. */
export type PictureOutcome =
  | PictureFindings
  | { readonly refused: Reason }
  | { readonly lost: LossReason; readonly dependency: 'forensic' | 'objects' };

/** Examines stored pictures of users, and stores their hashes for later look-ups. */
export interface PictureExaminer {
  /** Failures of other services are results, never thrown. */
  examine(mediaId: string, run: PictureRun): Promise<PictureOutcome>;
}

/** What the examiner works with. */
export interface PictureExaminerDependencies {
  readonly queries: Queries;
  readonly library: MediaLibrary;
  readonly addresses: MediaAddresses;
  readonly client: ForensicClient;
  /** undefined: the extractors are switched off. */
  readonly extractors: ExtractorsClient | undefined;
  /** Pictures that this process has examined at once. */
  readonly atOnce: () => number;
  readonly log: Logger;
}

interface ExaminerTools extends PictureExaminerDependencies {
  readonly readContent: RecogniseContent | undefined;
}

/** Looks the picture up among earlier ones, then stores it. */
async function lookUp(
  { queries, log }: PictureExaminerDependencies,
  { mediaId, account }: StoredMedia,
  { hash }: PictureAnalysis,
): Promise<SeenBefore | null> {
  try {
    await storeHash(queries, mediaId, hash);
    const sessions = await findNearDuplicateSessions(queries, account, mediaId, hash);
    const checks = await findNearDuplicateFactChecks(queries, account, mediaId, hash);
    return {
      by_looks: isDistinctive(hash),
      sessions: sessions.map(
        ({ sessionId, createdAt, sameBytes, differingBits, riskScore, riskCategory }) => ({
          session_id: sessionId,
          created_at: createdAt.toISOString(),
          same_bytes: sameBytes,
          differing_bits: differingBits,
          risk_score: riskScore,
          risk_category: riskCategory,
        }),
      ),
      fact_checks: checks.map(({ decidedAt, differingBits, riskScore, riskCategory, claims }) => ({
        decided_at: decidedAt.toISOString(),
        differing_bits: differingBits,
        risk_score: riskScore,
        risk_category: riskCategory,
        claims: publicClaims(claims),
      })),
    };
  } catch (error) {
    log.error({ err: error }, 'a picture could not be looked up');
    return null;
  }
}

/** What the metadata of a stored picture say. */
async function metadataOf(
  { extractors, library }: PictureExaminerDependencies,
  media: StoredMedia,
  run: PictureRun,
): Promise<Pick<PictureFindings, 'metadata' | 'metadataLost'>> {
  const none = { metadata: undefined, metadataLost: undefined };
  const content = extractors && (await library.open(media).catch(() => undefined));
  if (extractors === undefined || content === undefined) return none;
  const file = { content, fileName: media.objectKey, mediaType: media.mimeType };
  const outcome = await readMetadata(extractors, file, run).finally(() => content.destroy());
  return 'lost' in outcome
    ? { ...none, metadataLost: outcome.lost }
    : { ...none, metadata: outcome.metadata };
}

/** What a stored picture shows; a quick look does not ask. */
async function shownOf(
  { library, readContent }: Pick<ExaminerTools, 'library' | 'readContent'>,
  media: StoredMedia,
  run: PictureRun,
): Promise<ContentOutcome> {
  if (readContent === undefined || run.depth === 'quick') return undefined;
  let content: Readable | undefined;
  const open = async () => {
    content = await library.open(media).catch(() => undefined);
    return content && { content, fileName: media.objectKey, mediaType: media.mimeType };
  };
  return readContent(open, run).finally(() => content?.destroy());
}

async function examine(
  dependencies: ExaminerTools,
  mediaId: string,
  run: PictureRun,
): Promise<PictureOutcome> {
  const { library, client } = dependencies;
  const { account, signal } = run;
  const media = await library.find({ mediaId }, account);
  if (media === undefined) return { refused: { code: 'medium_lost', values: {} } };
  const content = await library.open(media).catch(() => undefined);
  if (content === undefined) return { lost: 'unavailable', dependency: 'objects' };
  const file = { content, fileName: media.objectKey, mediaType: media.mimeType };
  const [outcome, metadata, shown] = await Promise.all([
    examineForensically(client, file, run).finally(() => content.destroy()),
    metadataOf(dependencies, media, run),
    shownOf(dependencies, media, run),
  ]);
  signal.throwIfAborted();
  if ('lost' in outcome) return { ...outcome, dependency: 'forensic' };
  if ('refused' in outcome) return outcome;
  const { analysis } = outcome;
  const preview = await storeDrawing(dependencies, media, 'preview', analysis.preview);
  const overlays: Record<string, MadePicture> = {};
  for (const { detector, picture } of analysis.detectors) {
    const stored = await storeDrawing(dependencies, media, detector, picture);
    if (stored !== null) overlays[detector] = stored;
  }
  const seenBefore = await lookUp(dependencies, media, analysis);
  return { analysis, ...metadata, shown, preview, overlays, seenBefore };
}

/** Opens the examiner: a few pictures at once, users in turn; waiting does not count against a step's time limit. */
export function createPictureExaminer(dependencies: PictureExaminerDependencies): PictureExaminer {
  const queue = createMediaQueue(dependencies.atOnce);
  const { extractors } = dependencies;
  const tools = { ...dependencies, readContent: extractors && createContentRecogniser(extractors) };
  return {
    examine: async (mediaId, run) =>
      (await queue.run(run, () => examine(tools, mediaId, run))) ?? {
        lost: 'rate_limited',
        dependency: 'forensic',
      },
  };
}
