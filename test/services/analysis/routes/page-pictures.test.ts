import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { analysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import type { PictureAnalysis } from '../../../../src/services/forensic/contract.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { photoLike } from '../../forensic/pictures.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const TEXT =
  'The town council met on Monday evening and agreed to repair the bridge over the river. Work begins in spring, the mayor said.';

const isMeasured = spawnSync('ffprobe', ['-version']).status === 0;
const unmeasured = isMeasured ? '' : ' (skipped: no ffprobe, which reads their size)';

const home = freshHome();
let folder: string;
let database: Database;
let service: RunningAnalysis;
let host: Server;
let address: string;
/** What the host has, by path, and the addresses that the page names. */
const files = new Map<string, Buffer>();
let named: string[] = [];

const WORDS = { en: 'The file names the program.', ro: 'Fișierul numește programul.' };

/** What the forensic service says of any picture: that its file names a generator. All look alike to it. */
const ANALYSIS: PictureAnalysis = {
  ...{ request_id: '7b0b1a52-3c6c-4f0c-9d64-2f1f4f2f5a10', media_type: 'image', mime_type: 'image/png' },
  ...{ size_bytes: 10, sha256: 'a'.repeat(64), width: 512, height: 384, orientation: 1, frames: 1 },
  hash: { algorithm: 'pdq', value: '3c'.repeat(32), quality: 100 },
  preview: null,
  file: {
    ...{ jpeg: null, software: null, camera: null, taken_at: null, modified_at: null },
    ...{ has_maker_note: false, digital_source_type: null },
    generator: { name: 'Stable Diffusion web UI', keys: ['parameters'] },
  },
  detectors: [
    {
      ...{ detector: 'generator_metadata', applicable: true, reason: null, score: 1, threshold: 1 },
      ...{ found: true, log_likelihood_ratio: { value: 0, low: 0, high: 0 }, explanation: WORDS },
      ...{ cannot_see: WORDS, regions: [], picture: null },
    },
  ],
  degraded: [],
  examination_time_ms: 1,
};

/** The web service and the host of pictures in one: any page leads with the named pictures. */
function answerFor(page: string) {
  const metadata = {
    ...{ title: 'The bridge', publisher: null, author: null, published_at: null, published_at_source: null },
    ...{ modified_at: null, language: 'en', canonical_url: null, site_name: null, description: null },
    images: named.map((path) => ({ url: `${address}${path}`, alt: null, source: 'article' })),
    flags: { paywalled: false, satire: false, sponsored: false, fact_check: false },
    ...{ ai_disclosures: [], claim_reviews: [], text_source: 'article', encoding: 'utf-8' },
  };
  return {
    request_id: '00000000-0000-4000-8000-000000000000',
    pages: [
      {
        ...{ url: page, final_url: page, title: 'The bridge', text: TEXT, text_length: TEXT.length },
        ...{ text_hash: '0'.repeat(64), html: null, extraction_method: 'http', fallback_chain: [] },
        ...{ retrieved_at: new Date().toISOString(), extraction_time_ms: 1, status_code: 200 },
        ...{ content_type: 'text/html', metadata },
      },
    ],
    ...{ total_fetched: 1, total_failed: 0, execution_time_ms: 1, failed_urls: [] },
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limpede-page-pictures-'));
  database = await openDatabase({ home: home.home, log: silent });
  host = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const file = files.get(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      if (request.url === '/v1/analyze') response.end(JSON.stringify(ANALYSIS));
      else if (request.method === 'POST') {
        const { urls } = JSON.parse(Buffer.concat(chunks).toString()) as { urls: string[] };
        response.end(JSON.stringify(answerFor(urls[0] ?? '')));
      } else if (file === undefined) response.writeHead(404).end();
      else response.end(file);
    });
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const WEB_ALLOWED_PRIVATE_HOSTS = '127.0.0.1';
  const settings = { FORENSIC_URL: address, WEB_URL: address, WEB_ALLOWED_PRIVATE_HOSTS };
  service = await startAnalysis(database, settings, folder);
  const { width, height, rgb } = photoLike(512, 384, 1);
  const open = () => sharp(rgb, { raw: { width, height, channels: 3 } });
  files.set('/lead.png', await open().png().toBuffer());
  files.set('/lead-small.jpg', await open().resize(420).jpeg({ quality: 75 }).toBuffer());
  files.set('/logo.png', await open().resize(120).png().toBuffer());
  files.set('/page.jpg', Buffer.from('<html>no picture</html>'));
});
afterAll(async () => {
  await service.close();
  await new Promise((resolve) => host.close(resolve));
  await rm(folder, { recursive: true });
  await database.close();
  home.remove();
});
beforeEach(() => {
  named = ['/lead.png'];
});

async function analyze() {
  const body = { media_type: 'url', url: `${address}/article`, components: ['ai_tampered', 'techniques'] };
  const answer = await service.ask('POST', '/api/v3/pipeline/analyze', { body });
  expect(answer.status).toBe(200);
  return analysisSession.parse(answer.body.data);
}

const remove = (sessionId: string) => service.ask('DELETE', `/api/v3/pipeline/sessions/${sessionId}`);

/** Media, hashes and what pages show, as they are kept. */
const kept = async () => {
  const queries = database.kysely<AnalysisTables>();
  const tables = ['media_object', 'picture_hash', 'session_picture'] as const;
  return Promise.all(
    tables.map(async (name) => (await queries.selectFrom(name).select('media_id').execute()).length),
  );
};

describe('the leading pictures of a page', () => {
  it('are told beside the page: they move none of its numbers, and go with its last session', async () => {
    const session = await analyze();
    const [lead] = session.ai_tampered?.leading_pictures ?? [];
    expect(lead).toMatchObject({ url: `${address}/lead.png`, not_looked_at: null });
    expect(lead?.finding).toMatchObject({ verdict: 'strong_evidence', evidence_grade: 'A' });
    expect(session.ai_tampered).toMatchObject({ image_analysis: null, content_type: 'text' });
    expect(session.verdict?.explanation_en).toContain('A leading picture of the page shows traces');
    expect(session.verdict?.explanation_ro).toContain('O imagine principală din pagină are urme');
    const path = `/api/v3/pipeline/sessions/${session.session_id}/report?format=html&lang=en`;
    const html = String((await service.ask('GET', path)).body);
    expect(html).toContain('Pictures of the page');
    expect(html).toContain(`${address}/lead.png`);

    named = [];
    const bare = await analyze();
    expect(bare.ai_tampered?.leading_pictures).toEqual([]);
    const numbers = ({ risk_score, confidence, ai_tampered: ai }: typeof bare) => ({
      ...{ risk_score, confidence, verdict: ai?.verdict, probability: ai?.ai_probability },
    });
    expect(numbers(session)).toEqual(numbers(bare));

    named = ['/lead.png'];
    const again = await analyze();
    const seen = again.ai_tampered?.leading_pictures?.[0]?.finding?.image_analysis?.seen_before;
    expect(seen?.sessions.map(({ session_id }) => session_id)).toEqual([session.session_id]);
    await remove(session.session_id);
    expect((await kept())[0]).toBeGreaterThan(0);
    for (const { session_id } of [again, bare]) await remove(session_id);
    expect(await kept()).toEqual([0, 0, 0]);
  });

  const reasons = ({ ai_tampered: ai }: Awaited<ReturnType<typeof analyze>>) =>
    ai?.leading_pictures?.map(({ not_looked_at: why }) => why?.code ?? null);

  it.skipIf(!isMeasured)(`that are small are named with the reason${unmeasured}`, async () => {
    named = ['/logo.png'];
    expect(reasons(await analyze())).toEqual(['page_picture_too_small']);
  });

  it('that are repeated, no pictures or gone are named with the reason', async () => {
    named = ['/lead.png', '/lead-small.jpg'];
    const first = await analyze();
    expect(reasons(first)).toEqual([null, 'page_picture_repeated']);
    named = ['/page.jpg', '/gone.jpg', '/lead.png', '/beyond-the-first-three.jpg'];
    const second = await analyze();
    expect(reasons(second)).toEqual(['picture_kind_not_examined', 'page_picture_unreachable', null]);
    expect(second.degraded.filter(({ effect }) => effect !== 'own_engine')).toEqual([]);
    for (const { session_id } of [first, second]) await remove(session_id);
    expect(await kept()).toEqual([0, 0, 0]);
  });
});
