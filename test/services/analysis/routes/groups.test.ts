import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { withPrefix } from '../../../../src/services/analysis/contract/group-operations.ts';
import { componentGroups } from '../../../../src/services/analysis/contract/groups.ts';
import { analysis } from '../../../../src/services/analysis/contract.ts';
import { analysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import {
  COMPONENTS,
  type ComponentName,
} from '../../../../src/services/analysis/resources/component-name.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { eventually } from '../../../patience.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const GROUPS: readonly [path: string, component: ComponentName, block: boolean][] = [
  ['ai-tampered', 'ai_tampered', true],
  ['claims', 'claims', true],
  ['techniques', 'techniques', true],
  ['source-assessment', 'domain', false],
];
const TEXT =
  'Acești trădători vor să ne distrugă țara! Potrivit INS, în 2023 inflația a fost de 10,4 la sută. Treziți-vă acum, până nu e prea târziu!';
const body = { media_type: 'text', text: TEXT };

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

describe('names of a group', () => {
  it('stand before those of its operations', () => {
    const members = { analyze: 1, stageAssignments: 'two', health: true };
    const claims = withPrefix(componentGroups.claims, members);
    expect(claims).toEqual({ claimsAnalyze: 1, claimsStageAssignments: 'two', claimsHealth: true });
    expect(claims.claimsAnalyze + 1).toBe(2);
    const techniques = withPrefix(componentGroups.techniques, members);
    expect(techniques).toEqual({ techniquesAnalyze: 1, techniquesStageAssignments: 'two' });
    // @ts-expect-error the group lacks it, in its type too
    expect(techniques.techniquesHealth).toBeUndefined();
  });

  it('are in the contract exactly where the interface has them', () => {
    const names = Object.keys(analysis.operations);
    expect(names).toEqual(
      expect.arrayContaining(['aiTamperedHealth', 'techniquesResults', 'sourceAssessmentHealth']),
    );
    expect(names).not.toContain('techniquesHealth');
    expect(names).not.toContain('sourceAssessmentResults');
    const paths = Object.values(analysis.operations).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(paths).size).toBe(paths.length);
  });
});

describe.each(GROUPS)('%s', (path, component, hasBlock) => {
  const url = (operation: string) => `/api/v3/${path}/${operation}`;

  it('runs its one component and the verdict', async () => {
    const answer = await service.ask('POST', url('analyze'), { body });
    expect(answer.status).toBe(200);
    const session = analysisSession.parse(answer.body.data);
    expect(session.status).toBe('completed');
    expect(session.verdict).not.toBeNull();
    expect(session.components_run).toEqual(hasBlock ? [component] : []);
    for (const name of COMPONENTS) {
      if (name === component && hasBlock) expect(session[name]).not.toBeNull();
      else expect(session[name]).toBeNull();
    }
  });

  it('takes no notice of components that the request names', async () => {
    const named = { ...body, components: ['claims', 'domain'], skip_components: [component] };
    const { data } = (await service.ask('POST', url('analyze'), { body: named })).body;
    expect(data.components_skipped).toEqual(COMPONENTS.filter((name) => name !== component || !hasBlock));
  });

  it('accepts the same for its queue', async () => {
    const accepted = await service.ask('POST', url('analyze-async'), { body });
    expect(accepted.status).toBe(202);
    expect(accepted.body).toMatchObject({ success: true, async_: true, data: { status: 'processing' } });
    expect(accepted.body.data.queued_components).toEqual(hasBlock ? [component] : []);
    const { session_id } = accepted.body.data;
    expect(accepted.headers.location).toContain(session_id);
    await eventually(async () => {
      const result = await service.ask('GET', `/api/v3/pipeline/results/${session_id}`);
      expect(result.body.data?.status).toBe('completed');
    });
  });

  it('plans without running', async () => {
    for (const operation of ['analyze', 'analyze-async']) {
      const answer = await service.ask('POST', url(operation), { body: { ...body, dry_run: true } });
      expect(answer.body).toMatchObject({ success: true, dry_run: true });
      expect(answer.body.data.nodes.map((node: { component: string }) => node.component)).toEqual(
        hasBlock ? ['material', component, 'verdict'] : ['material', 'verdict'],
      );
    }
  });

  it('repeats a request under one key, and refuses another one under it', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await service.ask('POST', url('analyze'), { body, headers });
    const again = await service.ask('POST', url('analyze'), { body, headers });
    expect(again.body.data.session_id).toBe(first.body.data.session_id);
    const other = path === 'claims' ? 'techniques' : 'claims';
    const conflict = await service.ask('POST', `/api/v3/${other}/analyze`, { body, headers });
    expect([conflict.status, conflict.body.error_code]).toEqual([409, 'idempotency_conflict']);
  });

  it.each([
    ['nothing', undefined, 'validation_failed'],
    ['an empty object', {}, 'validation_failed'],
    ['no JSON', '{', 'invalid_json'],
    ['a list', [], 'validation_failed'],
    ['a short text', { media_type: 'text', text: 'Prea scurt.' }, 'text_length'],
    ['another field', { media_type: 'url', text: TEXT }, 'media_type_mismatch'],
    ['an unknown type', { media_type: 'pdf', text: TEXT }, 'validation_failed'],
  ])('refuses %s', async (_name, wrong, code) => {
    for (const operation of ['analyze', 'analyze-async']) {
      const answer = await service.ask('POST', url(operation), { body: wrong });
      expect([answer.status, answer.body.error_code]).toEqual([400, code]);
      expect(answer.body.success).toBe(false);
    }
  });

  it('asks for a token', async () => {
    for (const operation of ['analyze', 'analyze-async']) {
      const answer = await service.ask('POST', url(operation), { body, as: null });
      expect([answer.status, answer.body.error_code]).toEqual([401, 'token_missing']);
    }
  });
});

describe.each(GROUPS.filter(([path]) => path !== 'source-assessment'))('results of %s', (path, component) => {
  const results = (id: string) => `/api/v3/${path}/results/${id}`;
  const finished = async (more: object = {}) => {
    const { body: answer } = await service.ask('POST', '/api/v3/pipeline/analyze', {
      body: { ...body, ...more },
    });
    return answer.data;
  };

  it('are the block of a final session', async () => {
    const session = await finished();
    const answer = await service.ask('GET', results(session.session_id));
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      ...session[component],
      session_id: session.session_id,
      status: 'completed',
      skipped: null,
    });
  });

  it('have every field, and the reason, where the component did not run', async () => {
    const whole = await finished();
    const session = await finished({ skip_components: [component] });
    const { data } = (await service.ask('GET', results(session.session_id))).body;
    const { session_id, status, skipped, ...fields } = data;
    expect([session_id, status]).toEqual([session.session_id, 'completed']);
    expect(skipped).toMatchObject({ component });
    expect(Object.keys(fields).sort()).toEqual(Object.keys(whole[component]).sort());
    expect(new Set(Object.values(fields))).toEqual(new Set([null]));
  });

  it('are nobody else’s, and not there for what does not exist', async () => {
    const { session_id } = await finished();
    for (const [id, as] of [
      [session_id, 'clients/ion/user'],
      [session_id, 'admins/ana/admin'],
      [randomUUID(), 'clients/ana/user'],
      ['no-uuid', 'clients/ana/user'],
    ]) {
      const answer = await service.ask('GET', results(id), { as });
      expect([answer.status, answer.body.error_code]).toEqual([404, 'session_not_found']);
    }
    expect((await service.ask('GET', results(session_id), { as: null })).status).toBe(401);
  });

  it('are not ready while the session is not final', async () => {
    const { session_id } = await finished();
    const sessions = database.kysely<{ analysis_session: { session_id: string; status: string } }>();
    await sessions
      .updateTable('analysis_session')
      .set({ status: 'running' })
      .where('session_id', '=', session_id)
      .execute();
    const answer = await service.ask('GET', results(session_id));
    expect([answer.status, answer.body.error_code]).toEqual([404, 'result_not_ready']);
  });
});

describe('health of a group', () => {
  it.each(['ai-tampered', 'claims', 'source-assessment'])(
    '%s is public, and names its checks',
    async (path) => {
      const answer = await service.ask('GET', `/api/v3/${path}/health`, { as: null });
      expect(answer.status).toBe(200);
      expect(answer.body.checks.database.status).toBe('healthy');
      // Without a gateway, a forensic service or a domain check the group goes on with less.
      expect(answer.body.status).toBe('degraded');
    },
  );

  it('does not exist for techniques', async () => {
    expect((await service.ask('GET', '/api/v3/techniques/health')).status).toBe(404);
  });
});
