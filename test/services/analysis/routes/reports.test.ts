import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { sessionExport } from '../../../../src/services/analysis/resources/session-export.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const TEXT =
  'Acești trădători vor să ne distrugă țara! Potrivit INS, în 2023 inflația a fost de 10,4 la sută. Treziți-vă acum, până nu e prea târziu!';

const MODERATOR = 'admins/mara/moderator';

const home = freshHome();
let database: Database;
let service: RunningAnalysis;
let id: string;
beforeAll(async () => {
  database = await openDatabase({ home: home.home, log: silent });
  service = await startAnalysis(database);
  const { body } = await service.ask('POST', '/api/v3/pipeline/analyze', {
    body: { media_type: 'text', text: TEXT },
  });
  id = body.data.session_id;
});
afterAll(async () => {
  await service.close();
  await database.close();
  home.remove();
});

const report = (query: string, as?: string) =>
  service.ask('GET', `/api/v3/pipeline/sessions/${id}/report${query}`, as === undefined ? {} : { as });

describe('the report of a session', () => {
  it('is one HTML file to save, in both languages unless one is requested', async () => {
    const { status, headers, body: text } = await report('');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-disposition']).toContain(`attachment; filename="limpede-${id}.ro-en.html"`);
    expect(text).toContain('<main id="ro-report"');
    expect(text).toContain('<main id="en-report"');
    expect(text).toContain('trădători');
  });

  it.each([
    ['?lang=ro', ['ro']],
    ['?lang=en&format=html', ['en']],
    ['?lang=en,ro', ['en', 'ro']],
  ])('%s', async (query, languages) => {
    const { body: text } = await report(query);
    expect([...String(text).matchAll(/<main id="(\w\w)-report"/g)].map(([, language]) => language)).toEqual(
      languages,
    );
  });

  it('is the whole record with the rules that judged it, as JSON', async () => {
    const { status, headers, body } = await report('?format=json');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const { session, verdict_rules, made_by } = sessionExport.parse(body);
    const { body: shown } = await service.ask('GET', `/api/v3/pipeline/sessions/${id}`);
    expect(session).toEqual(shown.data);
    expect(verdict_rules.version).toBe(session.verdict?.rules_version);
    expect(made_by).toBe('Limpede 9.9.9');
  });

  it('is a ClaimReview of the claims that a person decided, and the export tells who corrected what', async () => {
    const flagged = await service.ask('POST', '/api/v3/pipeline/analyze', {
      body: { media_type: 'text', text: `${TEXT} Podul are 12 kilometri.`, user_flagged: true },
    });
    const { session_id, claims } = flagged.body.data;
    const { body: queue } = await service.ask('POST', '/api/v3/moderation/queue/next', {
      as: MODERATOR,
      body: {},
    });
    expect(queue.data.session_id).toBe(session_id);
    const [first, ...others] = claims.claims_verified;
    const corrections = {
      claims: { claims_verified: [{ ...first, status: 'misleading' }, ...others] },
    };
    const resolved = await service.ask('POST', `/api/v3/moderation/queue/${queue.data.queue_id}/resolve`, {
      as: MODERATOR,
      body: { action: 'corrected', notes: 'out of context', corrections },
    });
    expect(resolved.status).toBe(200);
    const path = `/api/v3/pipeline/sessions/${session_id}/report`;
    const review = await service.ask('GET', `${path}?format=claimreview&lang=ro`);
    expect(review.headers['content-type']).toBe('application/ld+json; charset=utf-8');
    expect(review.body['@graph']).toEqual([
      expect.objectContaining({
        '@type': 'ClaimReview',
        claimReviewed: first.text,
        author: { '@type': 'Organization', name: 'Limpede', url: 'http://127.0.0.1:8080' },
        url: `http://127.0.0.1:8080/agent-v3${path}`,
        reviewRating: expect.objectContaining({ ratingValue: 2 }),
      }),
    ]);
    const { body } = await service.ask('GET', `${path}?format=json`);
    expect(sessionExport.parse(body).revisions).toEqual([
      expect.objectContaining({ revision: 1 }),
      expect.objectContaining({ revision: 2, actor: 'mara', reason: 'out of context' }),
    ]);
  });

  it('is no ClaimReview while no person decided a claim', async () => {
    const { status, body } = await report('?format=claimreview');
    expect([status, body.error_code]).toEqual([404, 'not_found']);
    expect(body.error).toContain('decided by a person');
  });

  it.each(['?format=pdf', '?lang=fr', '?lang='])('refuses %s', async (query) => {
    expect((await report(query)).status).toBe(400);
  });

  it('is its owner’s alone', async () => {
    expect((await report('', 'clients/dan/user')).status).toBe(404);
  });
});
