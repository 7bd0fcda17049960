import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { packageFile } from '../../../../src/foundation/files.ts';
import { componentConfig } from '../../../../src/services/analysis/resources/component-config.ts';
import { modelCard, modelInfos } from '../../../../src/services/analysis/resources/model-info.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { model, type ScriptedGateway, startGateway } from '../dependencies/text-model/gateway.ts';
import { ADMIN, type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const home = freshHome();
let database: Database;
let gateway: ScriptedGateway;
let service: RunningAnalysis;
let alone: RunningAnalysis;
beforeAll(async () => {
  database = await openDatabase({ home: home.home, log: silent });
  gateway = await startGateway();
  gateway.models = [
    model('a', { context_length: 8_192 }),
    model('e', { capabilities: ['embed'], backend: 'cpu', loaded: false }),
  ];
  service = await startAnalysis(database, { LLM_URL: gateway.url });
  alone = await startAnalysis(database);
});
afterAll(async () => {
  await Promise.all([service.close(), alone.close()]);
  await gateway.close();
  await database.close();
  home.remove();
});

const models = async (group: string, at = service) =>
  modelInfos.parse((await at.ask('GET', `/api/v3/${group}/models`)).body.data);
const config = async (group: string, at = service) =>
  componentConfig.parse((await at.ask('GET', `/api/v3/${group}/config`)).body.data);

describe('the models of a group', () => {
  it.each([
    ['techniques', 'limpede-techniques-1', ['screening', 'deep'], 2],
    ['ai-tampered', 'limpede-ai-text-1', ['screening'], 1],
    ['claims', 'limpede-claims-1', ['extraction'], 3],
    ['source-assessment', 'limpede-domain-1', ['assessment'], 1],
  ])('%s begin with our engine and its card', async (group, name, stages, cards) => {
    const [own] = (await models(group)).items;
    expect(own).toMatchObject({ model: name, kind: 'own', stages, backend: null });
    expect(own?.cards).toHaveLength(cards);
    for (const card of own?.cards ?? []) expect(card.measured.length).toBeGreaterThan(1);
  });

  it('of AI and tampering name the engine of pictures, too', async () => {
    const { items } = await models('ai-tampered');
    const pictures = items.find(({ model: name }) => name === 'limpede-ai-image-1');
    expect(pictures).toMatchObject({ kind: 'own', stages: [], cards: [{ card: 'models/forensic.md' }] });
  });

  it('name those of the gateway that can serve a stage', async () => {
    const { items, text_models, pagination } = await models('techniques');
    expect([text_models, pagination.total]).toEqual(['listed', 3]);
    expect(items.slice(1)).toEqual([
      {
        model: 'a',
        kind: 'text_model',
        stages: ['deep'],
        backend: 'gpu',
        loaded: true,
        context_length: 8_192,
        capabilities: ['chat'],
        cards: [],
      },
      expect.objectContaining({ model: 'e', stages: [], backend: 'cpu', loaded: false }),
    ]);
  });

  it('say why the gateway is not among them', async () => {
    expect((await models('ai-tampered')).text_models).toBe('not_used');
    expect((await models('source-assessment')).text_models).toBe('not_used');
    expect((await models('claims', alone)).text_models).toBe('off');
    const lost = await startAnalysis(database, { LLM_URL: 'http://127.0.0.1:9' });
    const { text_models, items } = await models('claims', lost);
    expect([text_models, items.length]).toEqual(['unavailable', 2]);
    await lost.close();
  });

  it('come in pages', async () => {
    const { body } = await service.ask('GET', '/api/v3/techniques/models?limit=1&page=2');
    expect(body.data.items.map((item: { model: string }) => item.model)).toEqual(['a']);
    expect(body.data.pagination).toEqual({ page: 2, limit: 1, total: 3, pages: 3 });
    expect((await service.ask('GET', '/api/v3/techniques/models?limit=0')).status).toBe(400);
  });
});

describe('the configuration of a group', () => {
  it.each([
    ['techniques', 'manipulation', 'analysis.techniques', ['techniques@1'], 'least_confidence'],
    ['ai-tampered', 'ai', 'analysis.ai_tampered', [], 'strong_from'],
    ['claims', 'claims', 'analysis.claims', ['claims@1'], 'check_worthy_from'],
    ['source-assessment', 'source', 'analysis.domain', [], 'trusted'],
  ])('%s says what decides there', async (group, score, queue, prompts, threshold) => {
    const found = await config(group);
    expect(found).toMatchObject({ score, queue, prompt_config_keys: prompts });
    expect(found.timeout_ms).toBeGreaterThan(0);
    expect(found.model_timeout_ms).toBe(prompts.length > 0 ? 12_000 : null);
    expect(found.thresholds.map(({ code }) => code)).toContain(threshold);
    expect(Object.keys(found.weights).sort()).toEqual(['audio', 'image', 'text', 'url', 'video']);
    for (const { description_en, description_ro } of found.thresholds) {
      expect(description_en).not.toBe(description_ro);
    }
  });

  it('waits for no model where there is none', async () => {
    expect((await config('techniques', alone)).model_timeout_ms).toBeNull();
  });

  it('follows the verdict profiles', async () => {
    const before = await config('techniques');
    const weights = { manipulation: 0.6, claims: 0.1, ai: 0.1, source: 0.1, context: 0.1 };
    const body = { media_type: 'text', weights };
    const { data } = (await service.ask('PUT', '/api/v3/pipeline/verdict-config', { body, as: ADMIN })).body;
    const after = await config('techniques');
    expect(after.weights).toEqual({ ...before.weights, text: 0.6 });
    expect([after.verdict_rules_version, after.config_version]).toEqual([data.version, data.config_version]);
    expect(after.config_version).toBe(before.config_version + 1);
  });
});

describe.each(['techniques', 'ai-text', 'claims-words', 'claims-cues', 'domain-name'])(
  'the facts of models/%s.json',
  (name) => {
    const facts = modelCard.parse(JSON.parse(readFileSync(packageFile('models', `${name}.json`), 'utf8')));
    const card = readFileSync(packageFile(facts.card), 'utf8');
    // Tables write 0.880 where a number is 0.88, and 0.000 where it is 0.
    const numbers = new Set((card.match(/\d+\.\d+/g) ?? []).map(Number));

    it('are those of the card beside them', () => {
      expect(facts.card).toBe(`models/${name}.md`);
      expect(card).toContain(facts.model);
      for (const { measure, of, value, low, high } of facts.measured) {
        for (const figure of [value, low, high]) {
          if (figure !== null) expect(numbers, `${measure} of ${of}: ${figure}`).toContain(figure);
        }
      }
    });

    it('name the data and the licences that it names', () => {
      for (const { name: data, licence } of facts.data) {
        expect(card, data).toContain(data);
        expect(card, licence).toContain(licence);
      }
    });

    it('give each interval around its value', () => {
      for (const { value, low, high } of facts.measured) {
        if (low === null || high === null) continue;
        expect(low).toBeLessThan(value);
        expect(high).toBeGreaterThan(value);
      }
    });
  },
);
