import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { createMetrics } from '../../../../src/foundation/metrics.ts';
import { type Built, buildService } from '../../../../src/foundation/service.ts';
import { parseSettings } from '../../../../src/foundation/settings.ts';
import { analysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forensicService } from '../../../../src/services/forensic/service.ts';
import { forensicSettings } from '../../../../src/services/forensic/settings.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { opened, pasted, photoLike, saved } from '../../forensic/pictures.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const TEXT =
  'The town council met on Monday evening and agreed to repair the bridge over the river. Work begins in spring, the mayor said.';

const home = freshHome();
let folder: string;
let database: Database;
let forensic: Built<object>;
let service: RunningAnalysis;
let host: Server;
let address: string;
/** What the host has, by path, and the addresses that the page names. */
const files = new Map<string, Buffer>();
let named: string[] = [];

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
      if (request.method === 'POST') {
        const { urls } = JSON.parse(Buffer.concat(chunks).toString()) as { urls: string[] };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answerFor(urls[0] ?? '')));
      } else if (file === undefined) response.writeHead(404).end();
      else response.end(file);
    });
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  forensic = await buildService(forensicService, parseSettings(forensicSettings, {}), {
    home: '/nonexistent',
    version: '0.0.0',
    publicUrl: 'http://127.0.0.1',
    log: silent,
    metrics: createMetrics(),
    database: () => Promise.reject(new Error('this service keeps nothing')),
  });
  const FORENSIC_URL = await forensic.app.listen({ host: '127.0.0.1', port: 0 });
  const WEB_ALLOWED_PRIVATE_HOSTS = '127.0.0.1';
  const settings = { FORENSIC_URL, WEB_URL: address, WEB_ALLOWED_PRIVATE_HOSTS };
  service = await startAnalysis(database, settings, folder);
  const first = await opened(await saved(photoLike(512, 384, 1), 60));
  const place = { x: 160, y: 96, width: 160, height: 144 };
  const tampered = await saved(pasted(first, photoLike(512, 384, 2), place, { x: 90, y: 60 }), 92);
  files.set('/lead.jpg', tampered);
  files.set('/lead-small.jpg', await sharp(tampered).resize(420).jpeg({ quality: 75 }).toBuffer());
  files.set('/logo.png', await sharp(tampered).resize(120).png().toBuffer());
  files.set('/page.jpg', Buffer.from('<html>no picture</html>'));
});
afterAll(async () => {
  await service.close();
  await forensic.close();
  await new Promise((resolve) => host.close(resolve));
  await rm(folder, { recursive: true });
  await database.close();
  home.remove();
});
beforeEach(() => {
  named = ['/lead.jpg'];
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
    expect(lead).toMatchObject({ url: `${address}/lead.jpg`, not_looked_at: null });
    expect(lead?.finding).toMatchObject({ verdict: 'likely_ai_or_tampered', evidence_grade: 'B' });
    expect(lead?.finding?.image_analysis?.preview).not.toBeNull();
    expect(session.ai_tampered).toMatchObject({ image_analysis: null, content_type: 'text' });
    expect(session.verdict?.explanation_en).toContain('A leading picture of the page shows traces');
    expect(session.verdict?.explanation_ro).toContain('O imagine principală din pagină are urme');
    const path = `/api/v3/pipeline/sessions/${session.session_id}/report?format=html&lang=en`;
    const html = String((await service.ask('GET', path)).body);
    expect(html).toContain('Pictures of the page');
    expect(html.match(/<img src="data:image/g)).toHaveLength(2);

    named = [];
    const bare = await analyze();
    expect(bare.ai_tampered?.leading_pictures).toEqual([]);
    const numbers = ({ risk_score, confidence, ai_tampered: ai }: typeof bare) => ({
      ...{ risk_score, confidence, verdict: ai?.verdict, probability: ai?.ai_probability },
    });
    expect(numbers(session)).toEqual(numbers(bare));

    named = ['/lead.jpg'];
    const again = await analyze();
    const seen = again.ai_tampered?.leading_pictures?.[0]?.finding?.image_analysis?.seen_before;
    expect(seen?.sessions.map(({ session_id }) => session_id)).toEqual([session.session_id]);
    await remove(session.session_id);
    expect((await kept())[0]).toBeGreaterThan(1);
    for (const { session_id } of [again, bare]) await remove(session_id);
    expect(await kept()).toEqual([0, 0, 0]);
  });

  it('that are repeated, small, no pictures or gone are named with the reason', async () => {
    named = ['/lead.jpg', '/lead-small.jpg', '/logo.png'];
    const first = await analyze();
    const reasons = ({ ai_tampered: ai }: typeof first) =>
      ai?.leading_pictures?.map(({ not_looked_at: why }) => why?.code ?? null);
    expect(reasons(first)).toEqual([null, 'page_picture_repeated', 'page_picture_too_small']);
    named = ['/page.jpg', '/gone.jpg', '/lead.jpg', '/beyond-the-first-three.jpg'];
    const second = await analyze();
    expect(reasons(second)).toEqual(['picture_kind_not_examined', 'page_picture_unreachable', null]);
    expect(second.degraded.filter(({ effect }) => effect !== 'own_engine')).toEqual([]);
    for (const { session_id } of [first, second]) await remove(session_id);
    expect(await kept()).toEqual([0, 0, 0]);
  });
});
