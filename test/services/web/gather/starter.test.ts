import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { type BuiltService, buildService } from '../../../../src/foundation/service.ts';
import { parseSettings } from '../../../../src/foundation/settings.ts';
import { web } from '../../../../src/services/web/contract.ts';
import type { TextEncoder } from '../../../../src/services/web/evidence-index/encode.ts';
import { createIndexAccess } from '../../../../src/services/web/evidence-index/open-index.ts';
import { readStarterVectors } from '../../../../src/services/web/evidence-index/shipped-vectors.ts';
import { readStarterRows } from '../../../../src/services/web/evidence-index/starter.ts';
import { createLocalProvider } from '../../../../src/services/web/search/providers/local.ts';
import { createWebSearch } from '../../../../src/services/web/search/search.ts';
import { webService } from '../../../../src/services/web/service.ts';
import { webSettings } from '../../../../src/services/web/settings.ts';
import { quantiseVector } from '../../../../src/text/encoder/quantised-vectors.ts';
import { vectorKey } from '../../../../src/text/encoder/vector-file.ts';
import { startCampaign } from '../../../campaign.ts';
import { silent } from '../../../foundation/database/engines.ts';
import { until } from '../../../patience.ts';
import { packagedEncoder } from '../evidence-index/packaged-encoder.ts';

const encoder = packagedEncoder();
/** What was to be encoded while the starter set came in. */
const encoded: string[] = [];
const home = mkdtempSync(join(tmpdir(), 'limpede-starter-'));
let database: Database;
let built: BuiltService<object>;

beforeAll(async () => {
  database = await openDatabase({ home, log: silent });
  const counting: TextEncoder = {
    encode: (texts, signal) => {
      encoded.push(...texts);
      return encoder.encode(texts, signal);
    },
  };
  const index = createIndexAccess({
    database: async () => database,
    encoder: counting,
    starterSet: true,
    log: silent,
  });
  const settings = parseSettings(webSettings, { EMBEDDINGS_URL: 'none', DOMAIN_CHECK_URL: 'none' });
  const platform = {
    home,
    version: '9.9.9',
    publicUrl: 'http://127.0.0.1:8080',
    log: silent,
    metrics: new Registry(),
    database: async () => database,
  };
  built = await buildService(webService, settings, platform, {
    encoder: counting,
    index,
    search: createWebSearch([createLocalProvider(index)]),
  });
  await built.begin();
  await until(async () => (await index.current()?.statistics())?.passages_without_vector === 0);
});
afterAll(async () => {
  await built.close();
  await database.close();
  rmSync(home, { recursive: true });
});

describe('the vectors of the starter set', () => {
  it('come with it: nothing is encoded at the first start', () => {
    expect(encoded).toEqual([]);
  });

  it('are those that the encoder makes now; training/starter-vectors.ts makes them anew', async () => {
    const campaign = startCampaign('shipped vectors of the starter set');
    const shipped = readStarterVectors();
    const texts = readStarterRows().flatMap(({ claim, wordings }) => [
      ...[claim.en, claim.ro],
      ...[...wordings.en, ...wordings.ro],
    ]);
    const most = campaign.rounds(24, texts.length);
    const from = campaign.integer(0, texts.length - most);
    const sample = texts.slice(from, from + most);
    const vectors = await encoder.encode(sample, new AbortController().signal);
    sample.forEach((text, place) => {
      const bytes = shipped.get(vectorKey(text));
      expect(bytes && Buffer.from(bytes).equals(quantiseVector(vectors?.[place] ?? [])), text).toBe(true);
    });
    campaign.summary(`${sample.length} of ${shipped.size} as the encoder makes them`);
  });
});

describe('with nothing but the starter set', () => {
  it.each([
    ['Copiii fac autism din cauza vaccinurilor.', 'vaccines-autism'],
    ['Childhood shots are the reason why so many kids have autism.', 'vaccines-autism'],
    ['The landing on the Moon was filmed in a studio.', 'moon-landing-faked'],
    ['Aselenizarea din 1969 a fost o înscenare.', 'moon-landing-faked'],
    ['Antenele 5G răspândesc coronavirusul.', '5g-covid'],
    ['Pământul este plat, nu rotund.', 'flat-earth'],
    ['Uniunea Europeană ne obligă să mâncăm insecte.', 'eu-forces-insects'],
    ['People use just 10 percent of their brains.', 'ten-percent-brain'],
  ])('finds the sources that review: %s', async (claim, key) => {
    const reply = await built.app.inject({ method: 'POST', url: '/v1/gather', payload: { claim } });
    expect(reply.statusCode).toBe(200);
    const { evidence } = web.operations.gather.answer.parse(reply.json());
    const reviews = evidence.filter(({ fact_check }) => fact_check?.claim_key === key);
    expect(evidence[0]?.fact_check?.claim_key).toBe(key);
    expect(reviews.length).toBeGreaterThanOrEqual(2);
    expect(reviews[0]).toMatchObject({
      stance: null,
      fact_check: { rating: 'false', decides: true, stance: expect.stringMatching(/refutes|context/) },
      provenance: { extraction_method: 'index', providers: ['index'] },
    });
  });

  it('finds nothing that bears on a claim of another kind', async () => {
    const claim = 'Echipa de handbal din Zalău a câștigat meciul de sâmbătă.';
    const reply = await built.app.inject({ method: 'POST', url: '/v1/gather', payload: { claim } });
    expect(web.operations.gather.answer.parse(reply.json()).evidence).toEqual([]);
  });
});
