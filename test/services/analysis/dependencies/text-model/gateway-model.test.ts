import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createServingModel } from '../../../../../src/services/analysis/dependencies/text-model/serving.ts';
import {
  absentTextModel,
  type Task,
  type TextModel,
} from '../../../../../src/services/analysis/dependencies/text-model/text-model.ts';
import {
  type Arrival,
  deadAddress,
  json,
  model,
  modelAt,
  type ScriptedGateway,
  say,
  startGateway,
} from './gateway.ts';

const form = z.object({ word: z.string() });
const task: Task<z.output<typeof form>> = {
  stage: 'techniques.deep',
  prompt: { key: 'sample', version: '1', max_tokens: 50, system: ['Name a word.'] },
  fields: {},
  material: (most) => ({ text: 'x'.repeat(Math.min(most, 20_000)), note: '' }),
  schema: form,
};
const asking = () => ({ signal: new AbortController().signal, correlationId: 'c-1', assignments: {} });

/** Says these things one after the other, the last one again and again. */
const inTurn = (...contents: unknown[]) => {
  let turn = 0;
  return (arrival: Arrival) => say(arrival, contents[Math.min(turn++, contents.length - 1)]);
};

let gateway: ScriptedGateway;
let opened: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  gateway = await startGateway();
});

afterEach(async () => {
  await Promise.all([...opened.map((one) => one.close()), gateway.close()]);
  opened = [];
});

function open(more: Parameters<typeof modelAt>[1] = {}, url = gateway.url): TextModel {
  const made = modelAt(url, more);
  opened.push(made);
  return made;
}

describe('a text model behind the gateway', () => {
  it('answers in the form that was asked for', async () => {
    gateway.script = inTurn({ word: 'da', remark: 'left out' });
    const text = open();
    expect(text.serving()).toBeNull();
    const reply = await text.ask(task, asking());
    expect(reply).toMatchObject({ state: 'answered', value: { word: 'da' }, model: 'm', fallbacks: 0 });
    expect(text.serving()).toBe('m');
    expect(text.usualTimes('sample')?.p95).toBeGreaterThanOrEqual(0);
    const [asked] = gateway.arrivals;
    expect(asked?.body).toMatchObject({ model: 'm', temperature: 0, max_tokens: 50, stream: false });
    expect(asked?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: {
        name: 'sample',
        strict: true,
        schema: { type: 'object', required: ['word'], additionalProperties: false },
      },
    });
  });

  it.each<[string, unknown, number]>([
    ['in a code fence', '```json\n{"word": "da"}\n```', 1],
    ['after its reasoning', '<think>Which one?</think>{"word": "da"}', 1],
    ['after a repair of what is no JSON', 'A word: da', 2],
    ['after a repair of another form', { words: ['da'] }, 2],
    ['after a repair of a cut answer', '{"word": "d', 2],
  ])('answers %s', async (_name, first, calls) => {
    gateway.script = inTurn(first, { word: 'da' });
    expect(await open().ask(task, asking())).toMatchObject({ state: 'answered', value: { word: 'da' } });
    expect(gateway.arrivals).toHaveLength(calls);
    const roles = gateway.arrivals.at(-1)?.body.messages.map(({ role }) => role);
    expect(roles).toEqual(calls === 1 ? ['system', 'user'] : ['system', 'user', 'assistant', 'user']);
  });

  it.each<[string, (arrival: Arrival) => unknown, string, number]>([
    ['nonsense', (arrival) => say(arrival, 'Bine, mulțumesc.'), 'invalid_answer', 2],
    ['an empty list', (arrival) => say(arrival, []), 'invalid_answer', 2],
    [
      'a cut answer each time',
      (arrival) => say(arrival, '{"wo', { finish_reason: 'length' }),
      'invalid_answer',
      2,
    ],
    ['a huge answer', (arrival) => say(arrival, { word: 'x'.repeat(100_000) }), 'invalid_answer', 1],
    ['a web page', ({ response }) => response.end('<html>welcome</html>'), 'invalid_answer', 1],
    ['another contract', ({ response }) => json(response, 200, { choices: 'none' }), 'invalid_answer', 1],
    [
      'no choice',
      ({ response, body }) =>
        json(response, 200, {
          id: '',
          object: '',
          created: 1,
          model: body.model,
          backend: 'gpu',
          choices: [],
        }),
      'invalid_answer',
      2,
    ],
    ['status 500', ({ response }) => json(response, 500, { detail: 'broken' }), 'unavailable', 1],
    ['status 503', ({ response }) => json(response, 503, { detail: 'busy' }), 'unavailable', 1],
    ['status 429', ({ response }) => json(response, 429, { detail: 'slow down' }), 'rate_limited', 1],
    ['status 401', ({ response }) => json(response, 401, { detail: {} }), 'unavailable', 1],
    ['status 404', ({ response }) => json(response, 404, { detail: 'no such model' }), 'unavailable', 1],
    [
      'status 400 in either form',
      ({ response }) => json(response, 400, { detail: 'no' }),
      'invalid_answer',
      2,
    ],
    ['a broken connection', ({ response }) => response.destroy(), 'unavailable', 1],
  ])('is lost with %s', async (_name, script, reason, calls) => {
    gateway.script = script;
    expect(await open().ask(task, asking())).toEqual({ state: 'lost', reason });
    expect(gateway.arrivals).toHaveLength(calls);
  });

  it('is lost when it is slow, and leaves the gateway', async () => {
    let left: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    gateway.script = ({ response }) => response.on('close', () => left?.());
    expect(await open({ timeoutMs: 60 }).ask(task, asking())).toEqual({ state: 'lost', reason: 'timeout' });
    await gone;
  });

  it('leaves the gateway when its session stops', async () => {
    const stop = new AbortController();
    gateway.script = () => stop.abort();
    const reply = await open().ask(task, { ...asking(), signal: stop.signal });
    expect(reply.state).toBe('lost');
  });

  it('is asked without a form when its server refuses one, from then on', async () => {
    gateway.script = (arrival) =>
      arrival.task === undefined
        ? say(arrival, { word: 'da' })
        : json(arrival.response, 400, { detail: 'response_format is not supported' });
    const text = open();
    for (const _ of [1, 2]) expect(await text.ask(task, asking())).toMatchObject({ state: 'answered' });
    expect(gateway.arrivals.map((arrival) => arrival.task)).toEqual(['sample', undefined, undefined]);
  });

  it('is left alone for a while after two losses', async () => {
    gateway.script = ({ response }) => json(response, 500, {});
    const text = open();
    for (const _ of [1, 2, 3, 4]) await text.ask(task, asking());
    expect(gateway.arrivals).toHaveLength(2);
  });

  it('takes a few questions at once, keeps some waiting, and refuses the others', async () => {
    const held: Arrival[] = [];
    let full: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => {
      full = resolve;
    });
    gateway.script = (arrival) => {
      held.push(arrival);
      full?.();
    };
    const text = open({ calls: 1 });
    const asked = Array.from({ length: 6 }, () => text.ask(task, asking()));
    await begun;
    expect(await Promise.race(asked)).toEqual({ state: 'lost', reason: 'rate_limited' });
    expect(held).toHaveLength(1);
    gateway.script = inTurn({ word: 'da' });
    for (const arrival of held) say(arrival, { word: 'da' });
    const states = (await Promise.all(asked)).map(({ state }) => state);
    expect(states.filter((state) => state === 'answered')).toHaveLength(5);
  });

  it('shows no more than fits into the window of the model', async () => {
    gateway.script = inTurn({ word: 'da' });
    gateway.models = [model('small', { context_length: 4096 })];
    await open().ask(task, asking());
    gateway.models = [model('large', { context_length: 100_000 })];
    await open().ask(task, asking());
    const shown = gateway.arrivals.map(({ body }) => /x+/.exec(body.messages[1]?.content ?? '')?.[0].length);
    expect(shown).toEqual([3401, 8000]);
  });

  it.each([
    [{ backend: 'cloud' }, { model: 'm', fallbacks: 1 }],
    [{ model: 'other' }, { model: 'other', fallbacks: 1 }],
    [{ model: 'm-2026-01-01' }, { model: 'm-2026-01-01', fallbacks: 0 }],
    [{ model: 'x'.repeat(500) }, { model: 'm', fallbacks: 0 }],
    [{ model: ' \n' }, { model: 'm', fallbacks: 0 }],
  ])('tells who answered: %j', async (more, expected) => {
    gateway.models = [model('m'), model('other')];
    gateway.script = (arrival) => say(arrival, { word: 'da' }, more);
    expect(await open().ask(task, asking())).toMatchObject(expected);
  });
});

describe('which model answers', () => {
  beforeEach(() => {
    gateway.script = inTurn({ word: 'da' });
  });

  it.each<[string, ReturnType<typeof model>[], string | undefined, object]>([
    [
      'the first that chats',
      [model('e', { capabilities: ['embed'] }), model('b'), model('c')],
      undefined,
      { model: 'b' },
    ],
    ['the named one', [model('b'), model('c')], 'c', { model: 'c' }],
    ['the named one, listed or not', [model('b')], 'd', { model: 'd' }],
    ['nobody, where there is none', [], undefined, { state: 'off' }],
    ['nobody, where none chats', [model('e', { capabilities: ['embed'] })], undefined, { state: 'off' }],
    ['nobody, though one is named', [], 'd', { state: 'lost', reason: 'unavailable' }],
  ])('%s', async (_name, models, named, expected) => {
    gateway.models = models;
    const text = open(named === undefined ? {} : { named });
    expect(await text.ask(task, asking())).toMatchObject(expected);
  });

  it('is known before the first question when it was looked up', async () => {
    const text = open();
    await text.prepare();
    expect(text.serving()).toBe('m');
    expect(gateway.arrivals).toHaveLength(0);
  });

  it('is lost, not absent, when the gateway has a backend that lists none', async () => {
    const text = open();
    gateway.models = [];
    gateway.backends = ['gpu'];
    expect(await text.ask(task, asking())).toMatchObject({ state: 'lost', reason: 'unavailable' });
  });

  it('is looked up once for many questions', async () => {
    const text = open();
    await text.ask(task, asking());
    gateway.models = [];
    expect(await text.ask(task, asking())).toMatchObject({ state: 'answered' });
  });

  it('is nobody while the list does not come, which is waited for once', async () => {
    const lists: (() => void)[] = [];
    let looks = 0;
    const serving = createServingModel(
      {
        backends: async () => ({ backends: [] }),
        models: () => {
          looks++;
          return new Promise((resolve) =>
            lists.push(() => resolve({ object: 'list', data: [model('late')] })),
          );
        },
      },
      undefined,
    );
    const lost = { state: 'lost', reason: 'timeout' };
    expect(await Promise.all([serving.find(), serving.find()])).toEqual([lost, lost]);
    expect(await serving.find()).toEqual(lost);
    expect(looks).toBe(1);
    for (const come of lists) come();
    await new Promise(setImmediate);
    expect(await serving.find()).toMatchObject({ state: 'serving', model: 'late' });
  });

  it('is looked up again when what is known grows old, at first beside the work', async () => {
    let time = 0;
    let models = [model('a')];
    let looks = 0;
    const list = async () => {
      looks++;
      return { object: 'list' as const, data: models };
    };
    const serving = createServingModel(
      { models: list, backends: async () => ({ backends: [] }) },
      undefined,
      () => time,
    );
    expect(serving.known()).toBeUndefined();
    expect(await serving.find()).toMatchObject({ model: 'a' });
    models = [model('b')];
    time = 40_000;
    expect(await serving.find()).toMatchObject({ model: 'a' });
    await new Promise(setImmediate);
    expect(await serving.find()).toMatchObject({ model: 'b' });
    models = [];
    time = 400_000;
    expect(await serving.find()).toEqual({ state: 'lost', reason: 'unavailable' });
    models = [model('c')];
    time = 402_000;
    expect(await serving.find()).toMatchObject({ state: 'lost' });
    expect(looks).toBe(3);
    time = 500_000;
    expect(await serving.find()).toMatchObject({ model: 'c' });
  });

  it('is nobody when nobody listens', async () => {
    const reply = await open({}, await deadAddress()).ask(task, asking());
    expect(reply).toEqual({ state: 'lost', reason: 'unavailable' });
  });

  it('is nobody when it is switched off', async () => {
    expect(await absentTextModel.ask(task, asking())).toEqual({ state: 'off' });
    expect(absentTextModel.serving()).toBeNull();
  });
});

describe('models that are assigned to the stage', () => {
  const assigned = (primary: string, ...fallbacks: string[]) => ({
    ...asking(),
    assignments: { 'techniques.deep': { primary, fallbacks } },
  });
  const asked = () => gateway.arrivals.map(({ body }) => body.model);
  /** Answers as each model does: with a word, or not at all with a status. */
  const byModel = (answers: Record<string, string | number>) => (arrival: Arrival) => {
    const answer = answers[arrival.body.model];
    if (typeof answer === 'string') return say(arrival, { word: answer }, { model: arrival.body.model });
    return json(arrival.response, answer ?? 404, { error: { message: 'no' } });
  };

  beforeEach(() => {
    gateway.models = [model('a'), model('b'), model('c')];
  });

  it('are asked instead of the one that serves', async () => {
    gateway.script = byModel({ a: 'unu', b: 'doi' });
    expect(await open().ask(task, assigned('b', 'c'))).toMatchObject({ model: 'b', fallbacks: 0 });
    expect(asked()).toEqual(['b']);
  });

  it('are asked in their order until one answers', async () => {
    gateway.script = (arrival) =>
      arrival.body.model === 'b' ? say(arrival, 'no JSON') : byModel({ a: 500, c: 'trei' })(arrival);
    expect(await open().ask(task, assigned('a', 'b', 'c'))).toMatchObject({
      state: 'answered',
      model: 'c',
      fallbacks: 2,
    });
    expect([...new Set(asked())]).toEqual(['a', 'b', 'c']);
  });

  it('are lost when none answers, and our own engine is no model to ask', async () => {
    gateway.script = byModel({});
    const reply = await open().ask(task, assigned('a', 'b', 'limpede-techniques-1'));
    expect(reply).toMatchObject({ state: 'lost', reason: 'unavailable' });
    expect(asked()).toEqual(['a', 'b']);
  });

  it('are nobody when the stage belongs to our own engine: nothing is asked and nothing is missing', async () => {
    expect(await open().ask(task, assigned('limpede-techniques-1'))).toEqual({ state: 'own' });
    expect(await absentTextModel.ask(task, assigned('limpede-techniques-1'))).toEqual({ state: 'own' });
    expect(await absentTextModel.ask(task, assigned('a'))).toEqual({ state: 'off' });
    expect(gateway.arrivals).toHaveLength(0);
  });

  it('are missed when the gateway has no backend any more', async () => {
    gateway.models = [];
    expect(await open().ask(task, assigned('a'))).toEqual({ state: 'lost', reason: 'unavailable' });
  });

  it('leave time to those behind them', async () => {
    gateway.script = (arrival) => (arrival.body.model === 'a' ? undefined : byModel({ b: 'doi' })(arrival));
    const reply = await open({ timeoutMs: 3_000 }).ask(task, assigned('a', 'b'));
    expect(reply).toMatchObject({ state: 'answered', model: 'b', fallbacks: 1 });
  });

  it('rest alone when they fail again and again', async () => {
    gateway.script = byModel({ a: 500, b: 'doi' });
    const text = open();
    for (let turn = 0; turn < 6; turn++) {
      expect(await text.ask(task, assigned('a', 'b'))).toMatchObject({ model: 'b', fallbacks: 1 });
    }
    expect(asked().filter((name) => name === 'a').length).toBeLessThan(6);
    expect(asked().filter((name) => name === 'b')).toHaveLength(6);
  });
});
