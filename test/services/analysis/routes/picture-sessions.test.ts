import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { createMetrics } from '../../../../src/foundation/metrics.ts';
import { type BuiltService, buildService } from '../../../../src/foundation/service.ts';
import { parseSettings } from '../../../../src/foundation/settings.ts';
import { analysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forensicService } from '../../../../src/services/forensic/service.ts';
import { forensicSettings } from '../../../../src/services/forensic/settings.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { opened, pasted, photoLike, saved } from '../../forensic/pictures.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const home = freshHome();
let folder: string;
let database: Database;
let forensic: BuiltService<object>;
let service: RunningAnalysis;
let url: string;
/** A photo into which a part of another one was put, and one that was not changed. */
let tampered: Buffer;
let untouched: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limpede-picture-sessions-'));
  database = await openDatabase({ home: home.home, log: silent });
  forensic = await buildService(forensicService, parseSettings(forensicSettings, {}), {
    home: '/nonexistent',
    version: '0.0.0',
    publicUrl: 'http://127.0.0.1',
    log: silent,
    metrics: createMetrics(),
    database: () => Promise.reject(new Error('this service keeps nothing')),
  });
  const FORENSIC_URL = await forensic.app.listen({ host: '127.0.0.1', port: 0 });
  service = await startAnalysis(database, { FORENSIC_URL }, folder);
  url = await service.listen();
  const place = { x: 160, y: 96, width: 160, height: 144 };
  const first = await opened(await saved(photoLike(512, 384, 1), 60));
  tampered = await saved(pasted(first, photoLike(512, 384, 2), place, { x: 90, y: 60 }), 92);
  untouched = await saved(photoLike(512, 384, 5), 85);
});
afterAll(async () => {
  await service.close();
  await forensic.close();
  await rm(folder, { recursive: true });
  await database.close();
  home.remove();
});

const ANA = 'clients/ana/user';
const BOB = 'clients/bob/user';
const MODERATOR = 'admins/mod/moderator';

async function upload(bytes: Buffer, as = ANA): Promise<{ media_id: string; media_url: string }> {
  const body = new FormData();
  body.append('file', new Blob([Uint8Array.from(bytes)]), 'a.jpg');
  const headers = { authorization: `Bearer ${as}` };
  const answer = await fetch(`${url}/api/v3/media/upload`, { method: 'POST', body, headers });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: { media_id: string; media_url: string } }).data;
}

async function analyze(bytes: Buffer, path: string, as = ANA, more: object = {}) {
  const { media_url } = await upload(bytes, as);
  const body = { media_type: 'image', media_url, ...more };
  const answer = await service.ask('POST', `/api/v3/${path}`, { as, body });
  expect(answer.status).toBe(200);
  return analysisSession.parse(answer.body.data);
}

/** How many media and hashes there are; media without an owner are removed later. */
const kept = async () => {
  const queries = database.kysely<AnalysisTables>();
  const media = await queries.selectFrom('media_object').select('media_id').execute();
  const hashes = await queries.selectFrom('picture_hash').select('media_id').execute();
  return { media: media.length, hashes: hashes.length };
};
const WHOLE = 'pipeline/analyze-media';
const QUICK = 'ai-tampered/quick';
const remove = (sessionId: string, as = ANA) =>
  service.ask('DELETE', `/api/v3/pipeline/sessions/${sessionId}`, { as });

describe('a stored picture', () => {
  it('is examined, and its session shows what was found where', async () => {
    const session = await analyze(tampered, WHOLE);
    expect(session).toMatchObject({ status: 'completed', components_run: ['ai_tampered'] });
    const ai = session.ai_tampered;
    expect(ai).toMatchObject({
      verdict: 'likely_ai_or_tampered',
      evidence_grade: 'B',
      content_type: 'image',
    });
    expect(ai?.ai_probability).toBeCloseTo(72.15, 1);
    const found = ai?.indicators_detected.find(({ code }) => code === 'compression_history_conflict');
    const { x = 0, y = 0 } =
      found?.where !== null && found !== undefined && 'x' in found.where ? found.where : {};
    expect(Math.max(Math.abs(x - 160 / 512), Math.abs(y - 96 / 384))).toBeLessThan(0.12);
    const drawn = ai?.image_analysis?.detectors.find(({ detector }) => detector === 'double_quantisation');
    const path = (drawn?.picture?.media_url ?? '').replace(/^.*?\/agent-v3/, '');
    const picture = await fetch(url + path, { headers: { authorization: `Bearer ${ANA}` } });
    const { format, width } = await sharp(Buffer.from(await picture.arrayBuffer())).metadata();
    expect([picture.status, format, width]).toEqual([200, 'png', 512]);
    const others = await fetch(url + path, { headers: { authorization: `Bearer ${BOB}` } });
    expect(others.status).toBe(404);
    const html = await service.ask(
      'GET',
      `/api/v3/pipeline/sessions/${session.session_id}/report?format=html`,
    );
    // Small copy and map, in both languages.
    expect(String(html.body).match(/<img src="data:image\/jpeg;base64,/g)).toHaveLength(2);
    expect(String(html.body).match(/<img src="data:image\/png;base64,/g)).toHaveLength(2);
    const again = await analyze(tampered, QUICK);
    await remove(session.session_id);
    // Another session of the owner is about the same bytes: they stay, with what was drawn of them.
    expect((await service.ask('GET', path)).status).toBe(200);
    await remove(again.session_id);
    expect((await service.ask('GET', path)).status).toBe(404);
    expect(await kept()).toEqual({ media: 0, hashes: 0 });
  });

  it('that cannot be decoded is skipped with the reason', async () => {
    const session = await analyze(Buffer.from('89504e470d0a1a0a0000000d4948445200000010', 'hex'), WHOLE);
    expect(session.skipped).toContainEqual(
      expect.objectContaining({ component: 'ai_tampered', code: 'picture_broken' }),
    );
    expect(session.degraded.filter(({ effect }) => effect !== 'own_engine')).toEqual([]);
    await remove(session.session_id);
  });
});

describe('a quick look', () => {
  it('reads the file and its hash alone, and knows a smaller copy that was saved anew', async () => {
    const first = await analyze(untouched, QUICK);
    expect(first.ai_tampered).toMatchObject({
      ai_probability: null,
      verdict: 'inconclusive',
      reason_code: 'picture_pixels_not_examined',
      image_analysis: { depth: 'quick', hash: { algorithm: 'pdq' }, seen_before: { sessions: [] } },
    });
    const detectors = first.ai_tampered?.image_analysis?.detectors.map(({ detector }) => detector);
    expect(detectors).toEqual(['generator_metadata', 'file_history']);
    const copy = await sharp(untouched).resize(400).jpeg({ quality: 70 }).toBuffer();
    const second = await analyze(copy, QUICK);
    const seen = second.ai_tampered?.image_analysis?.seen_before;
    expect(seen?.by_looks).toBe(true);
    expect(seen?.sessions).toEqual([
      expect.objectContaining({ session_id: first.session_id, same_bytes: false }),
    ]);
    expect(seen?.sessions[0]?.differing_bits).toBeLessThanOrEqual(31);
    for (const { session_id } of [first, second]) await remove(session_id);
    expect(await kept()).toEqual({ media: 0, hashes: 0 });
  });

  it('shows others what a person decided, and nothing else', async () => {
    const own = await analyze(untouched, QUICK, ANA, { user_flagged: true });
    const unseen = await analyze(untouched, QUICK, BOB);
    expect(unseen.ai_tampered?.image_analysis?.seen_before).toMatchObject({ sessions: [], fact_checks: [] });
    await remove(unseen.session_id, BOB);
    const next = await service.ask('POST', '/api/v3/moderation/queue/next', { as: MODERATOR, body: {} });
    const { queue_id } = next.body.data.entry ?? next.body.data;
    const entry = await service.ask('GET', `/api/v3/moderation/queue/${queue_id}`, { as: MODERATOR });
    // Nudity and violence were not looked for: the report says so, and the reviewer is asked before the picture is shown.
    expect(entry.body.data).toMatchObject({
      blur_pictures: true,
      session: {
        ai_tampered: { image_analysis: { sensitive: { blur_first: true, code: 'sensitive_not_measured' } } },
      },
    });
    const { media } = entry.body.data;
    expect(media[0].media_url).toBe(own.input_media_url);
    // What the reviewer is given opens without a token; the address of the owner stays the owner's.
    for (const { download_url, media_url } of media) {
      const opened = await fetch(`${url}${download_url.split('/agent-v3')[1]}`);
      expect([opened.status, opened.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^image\//),
      ]);
      const owners = { headers: { authorization: `Bearer ${MODERATOR}` } };
      expect((await fetch(`${url}${media_url.split('/agent-v3')[1]}`, owners)).status).toBe(404);
    }
    const resolved = await service.ask('POST', `/api/v3/moderation/queue/${queue_id}/resolve`, {
      as: MODERATOR,
      body: { action: 'corrected', corrections: { verdict: { risk_score: 77 } } },
    });
    expect(resolved.status).toBe(200);
    const known = await analyze(untouched, QUICK, BOB);
    const seen = known.ai_tampered?.image_analysis?.seen_before;
    expect(seen?.sessions).toEqual([]);
    expect(seen?.fact_checks).toEqual([
      expect.objectContaining({ differing_bits: 0, risk_score: 77, claims: [] }),
    ]);
    expect(JSON.stringify(seen)).not.toContain(own.session_id);
  });
});
