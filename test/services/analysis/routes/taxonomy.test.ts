import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import aiIndicators from '../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import claimTaxonomy from '../../../../data/taxonomy/claims.json' with { type: 'json' };
import techniqueList from '../../../../data/taxonomy/techniques.json' with { type: 'json' };
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const home = freshHome();
let database: Database;
let service: RunningAnalysis;
beforeAll(async () => {
  database = await openDatabase({ home: home.home, log: silent });
  service = await startAnalysis(database);
});
afterAll(async () => {
  await service.close();
  await database.close();
  home.remove();
});

const LISTS = [
  ['ai-tampered/categories', aiIndicators.categories],
  ['claims/statuses', claimTaxonomy.statuses],
  ['claims/types', claimTaxonomy.types],
  ['techniques/definitions', techniqueList],
] as const;

describe.each(LISTS)('the list %s', (path, rows) => {
  const count = rows.length;
  const url = `/api/v3/${path}`;

  it('holds every code in both languages', async () => {
    const { status, body } = await service.ask('GET', url);
    expect(status).toBe(200);
    expect(body.data.items).toHaveLength(count);
    expect(body.data.pagination).toEqual({ page: 1, limit: 100, total: count, pages: 1 });
    expect(body.data.items.map(({ code }: { code: string }) => code)).toEqual(rows.map(({ code }) => code));
    for (const item of body.data.items) {
      for (const field of ['name_en', 'name_ro', 'definition_en', 'definition_ro']) {
        expect(item[field], `${item.code} ${field}`).toMatch(/\p{L}{3}/u);
      }
    }
  });

  it('comes in pages when that is asked for', async () => {
    const whole = (await service.ask('GET', url)).body.data.items;
    const { data } = (await service.ask('GET', `${url}?page=2&limit=5`)).body;
    expect(data.items).toEqual(whole.slice(5, 10));
    expect(data.pagination).toEqual({ page: 2, limit: 5, total: count, pages: Math.ceil(count / 5) });
    expect((await service.ask('GET', `${url}?page=99`)).body.data.items).toEqual([]);
  });

  it('refuses a page that is none, and callers without a token', async () => {
    for (const query of ['page=0', 'limit=0', 'limit=101', 'page=one']) {
      const answer = await service.ask('GET', `${url}?${query}`);
      expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed']);
    }
    expect((await service.ask('GET', url, { as: null })).status).toBe(401);
  });
});

describe('the deprecated domain operations', () => {
  const text = 'Un text destul de lung pentru o analiză, fără nicio adresă de web.';
  it.each([
    ['analyze', 200],
    ['analyze-async', 202],
  ])('domain/%s does what source-assessment does, and says until when', async (operation, status) => {
    const answer = await service.ask('POST', `/api/v3/domain/${operation}`, {
      body: { media_type: 'text', text },
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.deprecation).toMatch(/^@\d+$/);
    expect(new Date(String(answer.headers.sunset)).getTime()).toBeGreaterThan(
      Number(String(answer.headers.deprecation).slice(1)) * 1000,
    );
    expect(answer.headers.link).toBe(
      `</agent-v3/api/v3/source-assessment/${operation}>; rel="successor-version"`,
    );
    const refused = await service.ask('POST', `/api/v3/domain/${operation}`, { body: {} });
    expect([refused.status, refused.headers.sunset]).toEqual([400, answer.headers.sunset]);
  });
});
