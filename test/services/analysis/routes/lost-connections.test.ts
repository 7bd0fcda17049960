import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { enqueue } from '../../../../src/services/analysis/store/moderation.ts';
import { insertSession, moveSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { startCampaign } from '../../../campaign.ts';
import { CUTS, openCutLine } from '../../../foundation/database/cut-line.ts';
import { describeServer, freshHome, freshPostgres, silent } from '../../../foundation/database/engines.ts';
import { newSession, submissionOf } from '../harness.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const SESSIONS = '/api/v3/pipeline/sessions';
const QUEUE = '/api/v3/moderation/queue';
const MODERATOR = 'admins/mara/moderator';
const TEXT = 'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share it now!';
/** What an operation sends more than it did when nothing was cut: a connection that is made again says hello. */
const MARGIN = 4;

interface Prepared {
  readonly sessionId: string;
  readonly queueId: number;
}

describeServer('a connection that is lost in the middle of a request', () => {
  const home = freshHome();
  const campaign = startCampaign('connections cut at each statement');
  let place: Awaited<ReturnType<typeof freshPostgres>>;
  let line: Awaited<ReturnType<typeof openCutLine>>;
  let database: Database;
  let beside: Database;
  let service: RunningAnalysis;
  let cuts = 0;
  beforeAll(async () => {
    place = await freshPostgres();
    line = await openCutLine(place.url);
    beside = await openDatabase({ url: place.url, home: home.home, log: silent, connections: 1 });
    database = await openDatabase({ url: line.url, home: home.home, log: silent, connections: 3 });
    service = await startAnalysis(
      database,
      { ANALYSIS_ROLE: 'api', ANALYSIS_SLOTS_FREE: '1000', ANALYSIS_SLOTS_PREMIUM: '1000' },
      home.home,
    );
  });
  afterAll(async () => {
    campaign.summary(`${cuts} cuts, each answered as done or with 503 and Retry-After`);
    await service.close();
    await database.close();
    await beside.close();
    await line.close();
    await place.remove();
    home.remove();
  });

  /** A session of its own for each cut, over a line that is never cut. */
  const prepare = async (status: 'processing' | 'canceled'): Promise<Prepared> => {
    const queries = beside.kysely<AnalysisTables>();
    const created = newSession(submissionOf({ account: 'clients/ana' }));
    const { sessionId } = created;
    await insertSession(queries, { ...created, status: 'processing', lease: null });
    await enqueue(queries, sessionId, { reason: 'flagged', priority: 1, reasons: ['flagged'] });
    if (status === 'canceled') {
      const at = new Date();
      await moveSession(queries, sessionId, 'cancel', 'canceled', {
        cancel_requested_at: at,
        completed_at: at,
      });
    }
    const { queue_id: queueId } = await queries
      .selectFrom('moderation_entry')
      .select('queue_id')
      .where('session_id', '=', sessionId)
      .executeTakeFirstOrThrow();
    return { sessionId, queueId };
  };

  type Ask = (prepared: Prepared) => ReturnType<RunningAnalysis['ask']>;
  const operations: [name: string, from: 'processing' | 'canceled', ask: Ask][] = [
    ['delete', 'processing', ({ sessionId }) => service.ask('DELETE', `${SESSIONS}/${sessionId}`)],
    [
      'cancel',
      'processing',
      ({ sessionId }) => service.ask('POST', `${SESSIONS}/${sessionId}/cancel`, { body: {} }),
    ],
    [
      'resume',
      'canceled',
      ({ sessionId }) => service.ask('POST', `${SESSIONS}/${sessionId}/resume`, { body: {} }),
    ],
    [
      'claim of an entry',
      'processing',
      ({ queueId }) => service.ask('POST', `${QUEUE}/${queueId}/claim`, { as: MODERATOR, body: {} }),
    ],
    ['next entry', 'processing', () => service.ask('POST', `${QUEUE}/next`, { as: MODERATOR, body: {} })],
    [
      'accept',
      'processing',
      () =>
        service.ask('POST', '/api/v3/pipeline/analyze-async', {
          body: { media_type: 'text', text: `${TEXT} ${randomUUID()}` },
        }),
    ],
    [
      'analyze',
      'processing',
      () =>
        service.ask('POST', '/api/v3/pipeline/analyze', {
          body: { media_type: 'text', text: `${TEXT} ${randomUUID()}` },
        }),
    ],
    ['history', 'processing', () => service.ask('GET', '/api/v3/pipeline/history')],
    ['session', 'processing', ({ sessionId }) => service.ask('GET', `${SESSIONS}/${sessionId}`)],
  ];

  describe.each(campaign.pick(operations, 4))('%s', (_name, from, ask) => {
    it.each(campaign.pick(CUTS, 2))('is done, or told to come again: %s', async (cut) => {
      const undisturbed = await prepare(from);
      line.begin();
      const { status: wanted } = await ask(undisturbed);
      expect(wanted).toBeLessThan(300);
      const most = line.sent() + MARGIN;
      const wrong: unknown[] = [];
      for (let at = 1; at <= most; at += 1) {
        const prepared = await prepare(from);
        line.begin({ at, cut });
        const { status, body, headers } = await ask(prepared);
        cuts += line.isArmed() ? 0 : 1;
        line.begin();
        const told =
          status === 503 && body.error_code === 'service_unavailable' && headers['retry-after'] === '5';
        if (status !== wanted && !told) wrong.push({ at, status, body });
        if (!told) continue;
        // A repeated request finds it done, or does it: nothing is half done.
        const again = await ask(prepared);
        if (again.status !== wanted && ![404, 409].includes(again.status)) wrong.push({ at, again });
      }
      expect(wrong).toEqual([]);
    });
  });
});
