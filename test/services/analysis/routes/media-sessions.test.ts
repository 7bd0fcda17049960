import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { analysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import { COMPONENTS } from '../../../../src/services/analysis/resources/component-name.ts';
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

const MEDIA = ['image', 'audio', 'video'] as const;
const media = (media_type: string, more: object = {}) => ({
  media_type,
  media_url: 'https://example.org/a.bin',
  ...more,
});
/** Operations that take media, and the components that they run. */
const OPERATIONS: readonly [path: string, components: readonly string[]][] = [
  ['pipeline/analyze', COMPONENTS],
  ['pipeline/analyze-media', COMPONENTS],
  ['ai-tampered/analyze-media', ['ai_tampered']],
  ['claims/analyze-media', ['claims']],
  ['techniques/analyze-media', ['techniques']],
  ['source-assessment/analyze-media', ['domain']],
];

describe.each(OPERATIONS)('%s', (path, components) => {
  it.each(MEDIA)('keeps a session of %s, and says of every component why it did not run', async (kind) => {
    const { status, body } = await service.ask('POST', `/api/v3/${path}`, { body: media(kind) });
    expect(status).toBe(200);
    const session = analysisSession.parse(body.data);
    expect(session).toMatchObject({
      status: 'completed',
      input_type: kind,
      input_media_url: 'https://example.org/a.bin',
      input_text: null,
      risk_score: null,
      risk_category: 'inconclusive',
      components_run: [],
      components_skipped: COMPONENTS,
    });
    expect(session.confidence).toBeLessThanOrEqual(0.3);
    for (const { component, code } of session.skipped) {
      expect(code).toBe(components.includes(component) ? 'media_not_analysed' : 'left_out_by_request');
    }
    expect(session.verdict?.explanation_en).not.toBe('');
    expect(session.verdict?.explanation_ro).not.toBe('');
  });
});

describe('operations for media alone', () => {
  it.each(OPERATIONS.slice(1).map(([path]) => path))('%s refuses other content', async (path) => {
    const text = 'Un text destul de lung pentru o analiză obișnuită.';
    for (const body of [
      { media_type: 'text', text },
      { media_type: 'url', url: 'https://example.org/' },
    ]) {
      const answer = await service.ask('POST', `/api/v3/${path}`, { body });
      expect([answer.status, answer.body.error_code]).toEqual([400, 'media_type_mismatch']);
      expect(answer.body.details[0].path).toBe('body.media_type');
    }
  });

  it.each<[string, object, string]>([
    ['no address', { media_type: 'image' }, 'media_type_mismatch'],
    ['an address inside', media('image', { media_url: 'http://127.0.0.1/a.png' }), 'url_not_allowed'],
    ['no address at all', media('image', { media_url: 'a.png' }), 'url_not_allowed'],
    ['a long video', media('video', { media_duration_sec: 180.5 }), 'media_too_long'],
    ['a long sound', media('audio', { media_duration_sec: 421 }), 'media_too_long'],
    ['a negative length', media('audio', { media_duration_sec: -1 }), 'validation_failed'],
  ])('refuse %s', async (_name, body, code) => {
    for (const [path] of OPERATIONS) {
      const answer = await service.ask('POST', `/api/v3/${path}`, { body });
      expect([answer.status, answer.body.error_code]).toEqual([400, code]);
    }
  });

  it('take media as long as the limits allow', async () => {
    for (const [kind, seconds] of [
      ['video', 180],
      ['audio', 420],
      ['image', 9_999],
    ] as const) {
      const body = media(kind, { media_duration_sec: seconds });
      expect((await service.ask('POST', '/api/v3/pipeline/analyze-media', { body })).status).toBe(200);
    }
  });

  it('plan what they would do', async () => {
    const body = media('video', { dry_run: true });
    const { data } = (await service.ask('POST', '/api/v3/pipeline/analyze-media', { body })).body;
    expect(data.skipped.map(({ code }: { code: string }) => code)).toEqual(
      COMPONENTS.map(() => 'media_not_analysed'),
    );
    expect(data.verdict_profile.profile_code).toBe('default_video');
  });
});

it('an asynchronous media session ends in the same way', async () => {
  const accepted = await service.ask('POST', '/api/v3/pipeline/analyze-async', { body: media('audio') });
  expect(accepted.status).toBe(202);
  await vi.waitFor(async () => {
    const { body } = await service.ask('GET', `/api/v3/pipeline/results/${accepted.body.data.session_id}`);
    expect(body.data).toMatchObject({ status: 'completed', risk_score: null, risk_category: 'inconclusive' });
  }, 20_000);
});

describe('analyze-image', () => {
  const ask = (body: unknown) => service.ask('POST', '/api/v3/ai-tampered/analyze-image', { body });

  it('takes a picture, named as one or not', async () => {
    for (const body of [{ media_url: 'https://example.org/p.png' }, media('image')]) {
      const { data } = (await ask(body)).body;
      expect(data).toMatchObject({ status: 'completed', input_type: 'image' });
      expect(data.skipped).toContainEqual(
        expect.objectContaining({ component: 'ai_tampered', code: 'media_not_analysed' }),
      );
    }
  });

  it.each([
    ['nothing', {}],
    ['a video', media('video')],
    ['a text', { media_type: 'text', text: 'Un text destul de lung pentru o analiză obișnuită.' }],
  ])('refuses %s', async (_name, body) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'media_type_mismatch']);
  });
});
