import OpenAI from 'openai';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChatResponse, chatResponse } from '../../../src/services/vision/contract.ts';
import { visionService } from '../../../src/services/vision/service.ts';
import { type RunningModelService, startModelService } from '../../foundation/model-service/running.ts';
import { startUpstreamServer, TOLD_AS } from '../../foundation/model-service/upstream-server.ts';
import { eventually } from '../../patience.ts';
import { startStreamingServer } from './streaming-server.ts';

/** No service stands beside it. */
const OFF = { FORENSIC_URL: 'none', EXTRACTORS_URL: 'none' };
let alone: RunningModelService;
let picture: string;
beforeAll(async () => {
  alone = await startModelService(visionService, OFF);
  const teal = { width: 64, height: 48, channels: 3, background: 'teal' } as const;
  const bytes = await sharp({ create: teal }).jpeg().toBuffer();
  picture = `data:image/jpeg;base64,${bytes.toString('base64')}`;
});
afterAll(() => alone.close());

const asking = (text: string, url = picture) => ({
  messages: [
    {
      role: 'user' as const,
      content: [
        { type: 'text' as const, text },
        { type: 'image_url' as const, image_url: { url } },
      ],
    },
  ],
});
const codeOf = async (response: Response) => {
  const { detail } = (await response.json()) as { detail: unknown };
  return [response.status, detail];
};
const clientOf = ({ url }: RunningModelService) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });

describe('the describer', () => {
  it('answers the official client on a picture, and says what it is', async () => {
    const client = clientOf(alone);
    const { data } = await client.models.list();
    expect(data.map(({ id, owned_by }) => [id, owned_by])).toEqual([['limpede-describe-1', 'limpede']]);
    const answer = await client.chat.completions.create({
      model: data[0]?.id ?? '',
      ...asking('What is in this picture?'),
    });
    const [choice] = answer.choices;
    expect(choice?.finish_reason).toBe('stop');
    expect(choice?.message.content).toMatch(/JPEG picture of 64 x 48 pixels.*teal \(100 %\)/);
    expect(choice?.message.content).toMatch(/Not looked for: .*objects and faces.*measured by a program/);
  });

  it('streams to the official client what it answers at once', async () => {
    const client = clientOf(alone);
    const request = { model: 'limpede-describe-1', ...asking('What is in this picture?') };
    const whole = await client.chat.completions.create(request);
    const parts: string[] = [];
    let finish: string | null = null;
    for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) {
      parts.push(choices[0]?.delta.content ?? '');
      finish = choices[0]?.finish_reason ?? finish;
    }
    expect(parts.length).toBeGreaterThan(3);
    expect([parts.join(''), finish]).toEqual([whole.choices[0]?.message.content, 'stop']);
  });

  it('answers a Romanian question in Romanian, within the words that it may use', async () => {
    const question = 'Ce se vede în această imagine și de unde provine ea?';
    const full = chatResponse.parse(
      await (await alone.post('/v1/chat/completions', asking(question))).json(),
    );
    expect(full.choices[0]?.message.content).toMatch(/Imagine JPEG de 64 x 48 pixeli.*turcoaz/);
    const cut = await alone.post('/v1/chat/completions', { ...asking(question), max_tokens: 3 });
    const { choices } = (await cut.json()) as ChatResponse;
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'Imagine JPEG de' } });
  });

  it.each<[string, number, () => object]>([
    ['no picture', 400, () => ({ messages: [{ role: 'user', content: 'Hello' }] })],
    ['an answer of a form', 400, () => ({ ...asking('x'), response_format: { type: 'json_object' } })],
    [
      'a drawing',
      400,
      () => asking('x', `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`),
    ],
    ['rubbish', 400, () => asking('x', `data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==`)],
    ['a file', 400, () => asking('x', 'file:///etc/passwd')],
    ['a host inside', 400, () => asking('x', 'http://127.0.0.1:9/a.png')],
    ['another model', 404, () => ({ model: 'other', ...asking('x') })],
    ['no message', 422, () => ({ messages: [] })],
    [
      'too many pictures',
      400,
      () => ({ messages: Array.from({ length: 17 }, () => asking('x').messages[0]) }),
    ],
  ])('refuses %s with %i', async (_name, status, body) => {
    for (const stream of [false, true]) {
      const response = await alone.post('/v1/chat/completions', { ...body(), stream });
      expect(await codeOf(response)).toEqual([status, expect.anything()]);
    }
  });

  it('has no text completion, and a version', async () => {
    expect((await alone.post('/v1/completions', { prompt: 'Once' })).status).toBe(501);
    expect(await (await fetch(`${alone.url}/version`)).json()).toEqual({ version: '9.9.9' });
    // The first decoding process of a busy machine may start more slowly than health waits.
    const health = async () => (await fetch(`${alone.url}/health`)).json();
    await expect
      .poll(health)
      .toMatchObject({ status: 'healthy', backends: [{ name: 'describer', healthy: true }] });
  });
});

describe('a vision server of the operator', () => {
  const list = { status: 200, body: { object: 'list', data: [{ id: 'seer' }, { id: 'other' }] } };
  let upstream: Awaited<ReturnType<typeof startUpstreamServer>>;
  let service: RunningModelService;
  beforeAll(async () => {
    upstream = await startUpstreamServer(list);
    service = await startModelService(visionService, {
      ...OFF,
      VISION_UPSTREAM_URL: upstream.url,
      VISION_UPSTREAM_API_KEY: 'key',
    });
  });
  afterAll(async () => {
    await service.close();
    upstream.close();
  });
  beforeEach(() => upstream.reset());

  const ANSWER = {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'seer',
    choices: [{ index: 0, message: { role: 'assistant', content: 'A teal field.' }, finish_reason: 'stop' }],
  };

  it('is asked first, with all that the request says', async () => {
    upstream.state.reply = { status: 200, body: ANSWER };
    const answer = await service.post('/v1/chat/completions', {
      ...asking('What?'),
      temperature: 0,
      top_k: 1,
    });
    expect(await answer.json()).toEqual(ANSWER);
    const [request] = upstream.state.requests.filter(({ path }) => path === '/v1/chat/completions');
    expect(request).toMatchObject({
      authorization: 'Bearer key',
      body: { model: 'seer', temperature: 0, top_k: 1, stream: false, ...asking('What?') },
    });
    const models = (await (await fetch(`${service.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(['seer', 'other', 'limpede-describe-1']);
  });

  it('goes on with texts', async () => {
    upstream.state.reply = { status: 200, body: { id: 'c', choices: [{ index: 0, text: ' upon' }] } };
    const answer = await service.post('/v1/completions', { prompt: 'Once' });
    expect(((await answer.json()) as { choices: { text: string }[] }).choices[0]?.text).toBe(' upon');
  });

  it.each(TOLD_AS)('that answers %i is told as %i', async (status, told, _code) => {
    upstream.state.reply = { status, body: { error: 'secret of the server' } };
    for (const stream of [false, true]) {
      const response = await service.post('/v1/chat/completions', { ...asking('What?'), stream });
      expect(response.status).toBe(told);
      expect(await response.text()).not.toContain('secret');
    }
  });

  it('streams through to the official client, and says so when it breaks off', async () => {
    const streaming = await startStreamingServer();
    const behind = await startModelService(visionService, {
      ...OFF,
      VISION_UPSTREAM_URL: streaming.url,
      VISION_MODEL: 'seer',
    });
    const chunks: string[] = [];
    const request = { model: 'seer', ...asking('What?'), stream: true as const };
    for await (const { choices } of await clientOf(behind).chat.completions.create(request))
      chunks.push(choices[0]?.delta.content ?? '');
    expect(chunks.join('')).toBe('A teal field.');
    streaming.breakOff();
    const broken = await behind.post('/v1/chat/completions', request);
    const text = await broken.text();
    expect(text).toContain('A teal');
    expect(text).toContain('"code":"backend_failed"');
    await behind.close();
    streaming.close();
  });

  it('is what health names while it is lost', async () => {
    upstream.state.models = { status: 500, body: {} };
    // Each check has a time limit, which a busy machine may miss.
    await eventually(async () => {
      const { status, backends } = (await (await fetch(`${service.url}/health`)).json()) as {
        status: string;
        backends: { name: string; healthy: boolean }[];
      };
      expect(status).toBe('degraded');
      expect(backends.filter(({ healthy }) => !healthy)).toMatchObject([{ name: 'upstream' }]);
    });
  });
});
