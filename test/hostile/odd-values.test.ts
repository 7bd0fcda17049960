import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseChanges } from '../../src/foundation/configuration/changes.ts';
import { openConfigurations } from '../../src/foundation/configuration/configuration.ts';
import { type Database, openDatabase } from '../../src/foundation/database/database.ts';
import { type AnyService, type BuiltService, buildService } from '../../src/foundation/service.ts';
import { parseSettings } from '../../src/foundation/settings.ts';
import { brainService } from '../../src/services/brain/service.ts';
import { catalogueService } from '../../src/services/catalogue/service.ts';
import { dashboardService } from '../../src/services/dashboard/service.ts';
import { embeddingsService } from '../../src/services/embeddings/service.ts';
import { extractorsService } from '../../src/services/extractors/service.ts';
import { forensicService } from '../../src/services/forensic/service.ts';
import { rerankingService } from '../../src/services/reranking/service.ts';
import { speechService } from '../../src/services/speech/service.ts';
import { videoService } from '../../src/services/video/service.ts';
import { visionService } from '../../src/services/vision/service.ts';
import { startCampaign } from '../campaign.ts';
import { freshHome, silent } from '../foundation/database/engines.ts';
import { packOf } from '../services/brain/packs.ts';
import { CASES, PNG } from './odd-value-cases.ts';

const campaign = startCampaign('odd values');
const home = freshHome();
const models = mkdtempSync(join(tmpdir(), 'limpede-odd-values-'));
let database: Database;
let web: Server;
const services = new Map<string, BuiltService<object>>();
let configurations: ReturnType<typeof openConfigurations>;

async function open(service: AnyService, environment: Record<string, string> = {}, replace = {}) {
  const platform = {
    home: models,
    version: '9.9.9',
    publicUrl: 'http://127.0.0.1:8080',
    log: silent,
    metrics: new Registry(),
    database: async () => database,
    configuration: configurations.of,
  };
  const settings = parseSettings(service.settings, environment);
  services.set(service.contract.name, await buildService(service, settings, platform, replace));
}

beforeAll(async () => {
  database = await openDatabase({ home: home.home, log: silent });
  configurations = openConfigurations(
    databaseChanges(async () => database),
    silent,
  );
  await configurations.ready;
  web = createServer(async (request, response) => {
    await request.resume().toArray();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ request_id: crypto.randomUUID(), ...packOf('a', 'one') }));
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  mkdirSync(join(models, 'objects', 'media', 'a'), { recursive: true });
  writeFileSync(join(models, 'objects', 'media', 'a', 'b'), Buffer.from(PNG, 'base64'));
  const admin = { subject: 'root', realm: 'admins', roles: ['admin', 'auditor'], email: null };
  await open(
    dashboardService,
    {},
    { verifyToken: async () => ({ ...admin, planCap: null, application: null }) },
  );
  const webUrl = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  await open(brainService, { WEB_URL: webUrl, EMBEDDINGS_URL: 'none', BRAIN_RECHECK_SECONDS: '0' });
  await open(visionService, { FORENSIC_URL: 'none', EXTRACTORS_URL: 'none' });
  await open(videoService, { VISION_URL: 'http://127.0.0.1:9', LLM_URL: 'none' });
  for (const service of [
    embeddingsService,
    rerankingService,
    speechService,
    forensicService,
    extractorsService,
  ])
    await open(service);
  await open(catalogueService);
});
afterAll(async () => {
  for (const built of services.values()) await built.close();
  await configurations.close();
  web.close();
  await database.close();
  home.remove();
  rmSync(models, { recursive: true });
  campaign.summary(`${CHOSEN.length} of ${CASES.length} requests`);
});

const CHOSEN = campaign.pick(CASES, 45);

describe('a request with odd values', () => {
  it.each(CHOSEN)('is answered by what is wrong with it: $name', async (one) => {
    const { service, method = 'POST', url, body, headers = {}, told } = one;
    const built = services.get(service);
    const response = await built?.app.inject({
      method,
      url,
      headers: {
        authorization: 'Bearer token',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const status = response?.statusCode ?? 0;
    expect(response?.headers['content-type'], response?.body).toMatch(/^application\/json/);
    if (told !== undefined) expect(told, `${status} ${response?.body}`).toContain(status);
    else expect(status, response?.body).toBeLessThan(500);
  });
});
