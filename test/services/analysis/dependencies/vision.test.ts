import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createVisionAssessor, visionClient } from '../../../../src/services/analysis/dependencies/vision.ts';

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

const LOOK = {
  description: 'A street in the rain.',
  generated: 0.8,
  altered: 0.1,
  reasons: ['The letters on the sign are no letters.'],
  nudity: 0.02,
  gore: 0,
};
const model = (id: string, owned_by: string) => ({ id, object: 'model', created: 0, owned_by, backend: 'b' });

/** A vision service with these models whose model writes this. */
async function visionThatSays(words: string, models = [model('m', 'vllm')], status = 200) {
  const asked: { headers: IncomingHttpHeaders; body: Record<string, unknown> }[] = [];
  server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    response.setHeader('content-type', 'application/json').setHeader('connection', 'close');
    if (request.url === '/v1/models') return response.end(JSON.stringify({ object: 'list', data: models }));
    asked.push({ headers: request.headers, body: JSON.parse(text) });
    const message = { role: 'assistant', content: words };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const completion = { id: '1', object: 'chat.completion', created: 1, model: 'm-7b', choices };
    response.statusCode = status;
    return response.end(JSON.stringify(status === 200 ? completion : { detail: 'no' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const look = createVisionAssessor(
    visionClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
  const run = { account: 'clients/ana', correlationId: 'c', signal: new AbortController().signal };
  return { asked, look: () => look({ mime_type: 'image/jpeg', data: 'AAAA' }, run) };
}

describe('a vision model of the operator', () => {
  it('is shown the small copy, and its answer is read by its form, with or without a fence', async () => {
    const { asked, look } = await visionThatSays(`\`\`\`json\n${JSON.stringify(LOOK)}\n\`\`\``);
    expect(await look()).toEqual({ view: { model: 'm-7b', ...LOOK } });
    expect(asked[0]?.body).toMatchObject({ model: 'm', temperature: 0 });
    expect(JSON.stringify(asked[0]?.body)).toContain('data:image/jpeg;base64,AAAA');
    expect(asked[0]?.headers['x-caller-share']).not.toContain('ana');
  });

  it('may leave out what people should be warned of, and writes no novels', async () => {
    const { nudity: _, ...rest } = LOOK;
    const { look } = await visionThatSays(
      JSON.stringify({ ...rest, gore: 'much', description: 'x'.repeat(9_000) }),
    );
    const outcome = await look();
    expect(outcome).toMatchObject({ view: { nudity: null, gore: null } });
    expect('view' in outcome ? outcome.view?.description.length : 0).toBe(1_500);
  });

  it.each([
    ['words without a form', 'It looks real to me.'],
    ['a score that is none', JSON.stringify({ ...LOOK, generated: 7 })],
  ])('counts as lost with %s', async (_name, words) => {
    const { look } = await visionThatSays(words);
    expect(await look()).toEqual({ lost: 'invalid_answer' });
  });

  it('counts as lost when its server refuses', async () => {
    const { look } = await visionThatSays('', undefined, 500);
    expect(await look()).toEqual({ lost: 'unavailable' });
  });

  it('is not asked where there is only our describer, which judges nothing', async () => {
    const { asked, look } = await visionThatSays('', [model('limpede-describe-1', 'limpede')]);
    expect(await look()).toEqual({ view: undefined });
    expect(asked).toEqual([]);
  });
});
