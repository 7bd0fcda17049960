import { setImmediate } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import { roundTo } from '../../../foundation/numbers.ts';
import { compareFilms, type FilmLikeness, isNearCopy } from '../../../media/recording/film-likeness.ts';
import { momentsToAsk, momentsToKeep } from '../../../media/recording/film-moments.ts';
import type { RecordingSeenBefore, SharedFilm } from '../resources/recording-seen-before.ts';
import {
  decisionsAbout,
  findFilm,
  keepFilm,
  likelyFilms,
  mediaOfBytes,
  type StoredFrame,
  sessionsAbout,
} from '../store/film-hashes.ts';
import type { StoredMedia } from '../store/media.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { publicClaims } from './decided-claims.ts';

/** What films are remembered with. */
export interface FilmMemory {
  readonly queries: Kysely<AnalysisTables>;
  readonly log: Logger;
}

/** Frames of which the hashes say too little tell no film from others. */
const LEAST_MOMENTS = 1;

const toMilliseconds = (seconds: number) => roundTo(seconds, 3);

const sharedFilm = (likeness: FilmLikeness): SharedFilm => ({
  matching_s: likeness.matching,
  share: roundTo(likeness.shareOfFirst, 2),
  share_of_other: roundTo(likeness.shareOfSecond, 2),
  offset_s: toMilliseconds(likeness.offsetSec),
  differing_bits: Math.round(likeness.differingBits),
  stretches: likeness.stretches.map(({ startSec, endSec }) => ({ start_s: startSec, end_s: endSec })),
});

/** Stored films that are near copies of a film, whole or in part; films are compared one after the other, others in turns. */
async function nearCopies(
  { queries }: FilmMemory,
  { mediaId, account }: StoredMedia,
  frames: readonly StoredFrame[],
): Promise<Map<string, SharedFilm>> {
  const found = new Map<string, SharedFilm>();
  for (const likely of await likelyFilms(queries, account, mediaId, momentsToAsk(frames))) {
    const likeness = compareFilms(frames, likely.frames);
    if (likeness !== undefined && isNearCopy(likeness)) found.set(likely.mediaId, sharedFilm(likeness));
    await setImmediate();
  }
  return found;
}

/**
 * Earlier looks at a recording: at the same bytes, and, a film, at near copies; then it is remembered itself. Without new hashes those that
 * are kept are used. Null when it could not be looked up.
 */
export async function lookUpRecording(
  memory: FilmMemory,
  media: StoredMedia,
  hashes: readonly StoredFrame[] | undefined,
): Promise<RecordingSeenBefore | null> {
  const { queries, log } = memory;
  const { mediaId, account, sha256 } = media;
  try {
    const frames = hashes ?? (await findFilm(queries, mediaId)) ?? [];
    const moments = momentsToKeep(frames);
    if (hashes !== undefined && hashes.length > 0) await keepFilm(queries, mediaId, hashes, moments);
    const byLooks = moments.length >= LEAST_MOMENTS;
    const copies = byLooks ? await nearCopies(memory, media, frames) : new Map<string, SharedFilm>();
    const same = new Set([mediaId, ...(await mediaOfBytes(queries, sha256))]);
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
