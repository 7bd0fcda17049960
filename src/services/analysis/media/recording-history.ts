import { setImmediate } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import { roundTo } from '../../../foundation/numbers.ts';
import { momentsToLookUp, momentsToStore } from '../../../media/recording/film-moments.ts';
import { compareFilms, type FilmSimilarity, isNearCopy } from '../../../media/recording/film-similarity.ts';
import type { RecordingSeenBefore, SharedFilm } from '../resources/recording-seen-before.ts';
import {
  decisionsAbout,
  findFilm,
  findFilmCandidates,
  mediaWithSameBytes,
  type StoredFrame,
  sessionsAbout,
  storeFilm,
} from '../store/film-hashes.ts';
import type { StoredMedia } from '../store/media.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { publicClaims } from './public-claims.ts';

/** Where the hashes of recordings are stored. */
export interface RecordingHistory {
  readonly queries: Kysely<AnalysisTables>;
  readonly log: Logger;
}

/** Fewest distinctive frames by which a film can be recognised. */
const LEAST_MOMENTS = 1;

const toMilliseconds = (seconds: number) => roundTo(seconds, 3);

const sharedFilm = (likeness: FilmSimilarity): SharedFilm => ({
  matching_s: likeness.matching,
  share: roundTo(likeness.shareOfFirst, 2),
  share_of_other: roundTo(likeness.shareOfSecond, 2),
  offset_s: toMilliseconds(likeness.offsetSec),
  differing_bits: Math.round(likeness.differingBits),
  stretches: likeness.stretches.map(({ startSec, endSec }) => ({ start_s: startSec, end_s: endSec })),
});

/** Stored films that are near copies of a film, whole or in part. Yields to the event loop between comparisons. */
async function nearCopies(
  { queries }: RecordingHistory,
  { mediaId, account }: StoredMedia,
  frames: readonly StoredFrame[],
): Promise<Map<string, SharedFilm>> {
  const copies = new Map<string, SharedFilm>();
  for (const likely of await findFilmCandidates(queries, account, mediaId, momentsToLookUp(frames))) {
    const likeness = compareFilms(frames, likely.frames);
    if (likeness !== undefined && isNearCopy(likeness)) copies.set(likely.mediaId, sharedFilm(likeness));
    await setImmediate();
  }
  return copies;
}

/**
 * Earlier sessions about the same bytes or, for films, about near copies; stores the new hashes for later look-ups. Without new
 * hashes the stored ones are used. Null when the look-up failed.
 */
export async function lookUpRecording(
  memory: RecordingHistory,
  media: StoredMedia,
  hashes: readonly StoredFrame[] | undefined,
): Promise<RecordingSeenBefore | null> {
  const { queries, log } = memory;
  const { mediaId, account, sha256 } = media;
  try {
    const frames = hashes ?? (await findFilm(queries, mediaId)) ?? [];
    const moments = momentsToStore(frames);
    if (hashes !== undefined && hashes.length > 0) await storeFilm(queries, mediaId, hashes, moments);
    const byLooks = moments.length >= LEAST_MOMENTS;
    const copies = byLooks ? await nearCopies(memory, media, frames) : new Map<string, SharedFilm>();
    const same = new Set([mediaId, ...(await mediaWithSameBytes(queries, sha256))]);
    const near = [...new Set([...same, ...copies.keys()])];
    const sessions = await sessionsAbout(queries, account, near);
    const decided = await decisionsAbout(queries, account, near);
    const likenessOf = (id: string) => ({
      same_bytes: same.has(id),
      shared: same.has(id) ? null : (copies.get(id) ?? null),
    });
    return {
      by_looks: byLooks,
      sessions: sessions.map(({ sessionId, createdAt, riskScore, riskCategory, media: [about] }) => ({
        session_id: sessionId,
        created_at: createdAt.toISOString(),
        ...likenessOf(about?.mediaId ?? ''),
        risk_score: riskScore,
        risk_category: riskCategory,
      })),
      fact_checks: decided.map(({ decidedAt, riskScore, riskCategory, claims, medium }) => ({
        decided_at: decidedAt.toISOString(),
        ...likenessOf(medium.mediaId),
        risk_score: riskScore,
        risk_category: riskCategory,
        claims: publicClaims(claims),
      })),
    };
  } catch (error) {
    log.error({ err: error }, 'a recording could not be looked up');
    return null;
  }
}
