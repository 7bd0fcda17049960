import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/foundation/database/database.ts';
import { freshHome, silent } from '../foundation/database/engines.ts';
import { eventually } from '../patience.ts';
import { type RunningAnalysis, startAnalysis } from '../services/analysis/routes/running-analysis.ts';

const IS_SAMPLE = process.env.LIMPEDE_TEST_LONG === undefined;
/** What one user sends at once to spoil it for another. */
const BURST = IS_SAMPLE ? 40 : 150;
const LONG = 'They are HIDING the truth from you, and doctors admit it! Share this before it is deleted. '
  .repeat(600)
  .slice(0, IS_SAMPLE ? 2_000 : 50_000);
const README_TEXT =
  'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share before it is deleted!';

/** What must not depend on who else is there. */
const numbersOf = ({ data }: { data: Record<string, unknown> }) => ({
  run: data.components_run,
  skipped: data.components_skipped,
  risk: data.risk_score,
  confidence: data.confidence,
  degraded: data.degraded,
});

describe('one user at full burst', () => {
  const place = freshHome();
  let service: RunningAnalysis;
  let close = async (): Promise<void> => undefined;

  beforeAll(async () => {
    const database = await openDatabase({ home: place.home, log: silent });
    service = await startAnalysis(database);
    close = async () => {
      await service.close();
      await database.close();
      place.remove();
    };
  });
  afterAll(() => close());

  const analyze = (as: string, text: string) =>
    service.ask('POST', '/api/v3/pipeline/analyze', { as, body: { media_type: 'text', text } });

  /** The result of an analysis, once there is one. */
  async function completed({ session_id: id, ...data }: { session_id: string; status: string }) {
    if (data.status !== 'running') return data as { status: string; degraded?: unknown };
    return eventually(async () => {
      const { body } = await service.ask('GET', `/api/v3/pipeline/results/${id}`, { as: 'clients/hog/user' });
      expect(body.data?.status).toBe('completed');
      return body.data as { status: string; degraded?: unknown };
    });
  }

  it('changes nothing of what another gets, and is told when it is too much', async () => {
    const alone = await analyze('clients/bea/user', README_TEXT);
    expect(alone.status).toBe(200);
    const burst = Array.from({ length: BURST }, () => analyze('clients/hog/user', LONG));
    const beside: (typeof alone)[] = [];
    for (let count = 0; count < 4; count += 1) beside.push(await analyze('clients/bea/user', README_TEXT));
    for (const answer of beside) {
      expect(answer.status).toBe(200);
      expect(numbersOf(answer.body)).toEqual(numbersOf(alone.body));
    }
    const answers = await Promise.all(burst);
    const refused = answers.filter(({ status }) => status === 429);
    const served = answers.filter(({ status }) => status === 200);
    expect(refused.length + served.length).toBe(BURST);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body, headers } of refused) {
      expect(body.error_code).toBe('rate_limited');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    for (const { body } of served) {
      // Where the machine is slow an answer in time says that the analysis is still running: it is completed all the same.
      const data = await completed(body.data);
      expect(data.status).toBe('completed');
      expect(data.degraded).toEqual([expect.objectContaining({ effect: 'own_engine' })]);
    }
    // Refused before anything was stored.
    const { body: history } = await service.ask('GET', '/api/v3/pipeline/history?limit=100', {
      as: 'clients/hog/user',
    });
    expect(history.data.pagination.total).toBe(served.length);
  });

  it('is told apart from a platform that is full', async () => {
    const small = await startSmall();
    const crowd = Array.from({ length: 12 }, (_, index) =>
      small.ask('POST', '/api/v3/pipeline/analyze', {
        as: `clients/user-${index}/user`,
        body: { media_type: 'text', text: LONG },
      }),
    );
    const answers = await Promise.all(crowd);
    const full = answers.filter(({ status }) => status === 503);
    expect(full.length).toBeGreaterThan(0);
    for (const { body, headers } of full) {
      expect(body.error_code).toBe('service_unavailable');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(answers.filter(({ status }) => status === 200).length).toBe(12 - full.length);
    await small.close();
  });

  /** A service with one place and four who may wait. */
  async function startSmall() {
    const home = freshHome();
    const database = await openDatabase({ home: home.home, log: silent });
    const started = await startAnalysis(database, { ANALYSIS_DIRECT_PLACES: '1' });
    return {
      ask: started.ask,
      close: async () => {
        await started.close();
        await database.close();
        home.remove();
      },
    };
  }
});
