import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { forensicRecording, looked } from '../engines/ai-recording/recordings.ts';
import { FILM, noEngine, soundFile, startRecordingServices } from './recording-services.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const ANA = 'clients/ana/user';
const BOB = 'clients/bob/user';
const MODERATOR = 'admins/mod/moderator';

/** A hash of its own for each scene. */
const hashOf = (scene: number) =>
  ((BigInt(scene + 1) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn).toString(16).padStart(16, '0').repeat(4);
/** What the forensic service says of a film that shows a scene each second; a copy differs from it in 8 bits. */
const filmOf = (scenes: readonly number[], isCopy = false) => ({
  ...forensicRecording([looked()]),
  media_type: 'video',
  hashes: {
    algorithm: 'pdq',
    frames: scenes.map((scene, second) => ({
      at_s: second,
      value: isCopy
        ? hashOf(scene).replace(/^./, (digit) => (15 - Number.parseInt(digit, 16)).toString(16))
        : hashOf(scene),
      quality: 100,
    })),
  },
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

forEachEngine((engine) => {
  let folder: string;
  let services: Awaited<ReturnType<typeof startRecordingServices>>;
  let service: RunningAnalysis;
  let url: string;
  let files = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'limpede-film-sessions-'));
    services = await startRecordingServices();
    services.state.speech = [200, noEngine()];
    service = await startAnalysis(
      engine.database(),
      { SPEECH_URL: services.url, FORENSIC_URL: services.url },
      folder,
    );
    url = await service.listen();
  });
  afterAll(async () => {
    await service.close();
    services.close();
    await rm(folder, { recursive: true });
  });

  /** Bytes of a film of their own. */
  const newFile = () => {
    files += 1;
    return Buffer.concat([FILM, Buffer.from(String(files))]);
  };
  async function analyze(bytes: Buffer, film: object, as = ANA, more: object = {}) {
    services.state.forensic = [200, film];
    const upload = new FormData();
    upload.append('file', new Blob([Uint8Array.from(bytes)]), 'a');
    const headers = { authorization: `Bearer ${as}` };
    const stored = await fetch(`${url}/api/v3/media/upload`, { method: 'POST', body: upload, headers });
    const { media_url, media_type } = ((await stored.json()) as { data: Record<string, string> }).data;
    const body = { media_type, media_url, ...more };
    const answer = await service.ask('POST', '/api/v3/pipeline/analyze-media', { as, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const session = analysisSession.parse(answer.body.data);
    const seen = session.ai_tampered?.recording_analysis?.seen_before;
    return { id: session.session_id, seen };
  }
  const remove = (id: string, as = ANA) => service.ask('DELETE', `/api/v3/pipeline/sessions/${id}`, { as });
  const kept = async () => {
    const queries = engine.database().kysely<AnalysisTables>();
    const films = await queries.selectFrom('film_hash').select('media_id').execute();
    const moments = await queries.selectFrom('film_moment').select('media_id').execute();
    return [films.length, moments.length];
  };

  describe('a film', () => {
    it('that was seen before is found by a part of it, with the times, and forgotten with its sessions', async () => {
      const file = newFile();
      const first = await analyze(file, filmOf(range(0, 20)));
      expect(first.seen).toEqual({ by_looks: true, sessions: [], fact_checks: [] });
      // The end of it in bytes of their own, after five seconds of something else.
      const copy = await analyze(newFile(), filmOf([...range(500, 505), ...range(12, 20)], true));
      expect(copy.seen?.sessions).toEqual([
        expect.objectContaining({
          session_id: first.id,
          same_bytes: false,
          shared: {
            matching_s: 8,
            share: 0.62,
            share_of_other: 0.4,
            offset_s: 7,
            differing_bits: 4,
            stretches: [{ start_s: 5, end_s: 13 }],
          },
        }),
      ]);
      const other = await analyze(newFile(), filmOf(range(1_000, 1_020)));
      expect(other.seen?.sessions).toEqual([]);
      const again = await analyze(file, filmOf(range(0, 20)));
      expect(again.seen?.sessions.map(({ session_id: id, same_bytes: same }) => [id, same])).toEqual([
        [copy.id, false],
        [first.id, true],
      ]);
      expect(await kept()).toEqual([3, 53]);
      await remove(first.id);
      // Another session of the owner is about the same bytes.
      expect(await kept()).toEqual([3, 53]);
      for (const { id } of [copy, other, again]) await remove(id);
      expect(await kept()).toEqual([0, 0]);
    });

    it('of others is not told of before a person decided, and then without whose it was', async () => {
      const own = await analyze(newFile(), filmOf(range(0, 20)), ANA, { user_flagged: true });
      const unseen = await analyze(newFile(), filmOf(range(0, 20)), BOB);
      expect(unseen.seen).toMatchObject({ sessions: [], fact_checks: [] });
      const next = await service.ask('POST', '/api/v3/moderation/queue/next', { as: MODERATOR, body: {} });
      const { queue_id } = next.body.data.entry ?? next.body.data;
      const body = { action: 'corrected', corrections: { verdict: { risk_score: 77 } } };
      const path = `/api/v3/moderation/queue/${queue_id}/resolve`;
      expect((await service.ask('POST', path, { as: MODERATOR, body })).status).toBe(200);
      const known = await analyze(newFile(), filmOf(range(0, 20)), BOB);
      expect(known.seen?.sessions.map(({ session_id: id }) => id)).toEqual([unseen.id]);
      expect(known.seen?.fact_checks).toEqual([
        expect.objectContaining({ same_bytes: false, risk_score: 77, claims: [] }),
      ]);
      expect(JSON.stringify(known.seen)).not.toContain(own.id);
      // Of its owner it is an earlier session, not a person's decision on another user's.
      const mine = await analyze(newFile(), filmOf(range(0, 20)), ANA);
      expect(mine.seen?.sessions.map(({ session_id: id }) => id)).toEqual([own.id]);
      expect(mine.seen?.fact_checks).toEqual([]);
      await remove(own.id);
      for (const { id } of [unseen, known]) await remove(id, BOB);
      await remove(mine.id);
    });
  });

  it('a sound is known by its bytes', async () => {
    const sound = soundFile();
    const first = await analyze(sound, forensicRecording([looked()]));
    const second = await analyze(sound, forensicRecording([looked()]));
    expect(second.seen).toMatchObject({
      by_looks: false,
      sessions: [{ session_id: first.id, same_bytes: true, shared: null }],
    });
    for (const { id } of [first, second]) await remove(id);
  });
});
