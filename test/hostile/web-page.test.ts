import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere } from '../running-platform.ts';

let platform: Awaited<ReturnType<typeof runHere>>;
let provider: Server;
/** Requests that reached the provider with the owner's key. */
let forwarded = 0;

beforeAll(async () => {
  provider = createServer((request, response) => {
    if (request.url?.includes('completions')) forwarded += 1;
    response.setHeader('content-type', 'application/json');
    const message = { role: 'assistant', content: 'yes' };
    response.end(
      request.url?.includes('completions')
        ? JSON.stringify({
            id: 'x',
            object: 'chat.completion',
            created: 1,
            model: 'm',
            choices: [{ index: 0, message, finish_reason: 'stop' }],
          })
        : JSON.stringify({ object: 'list', data: [{ id: 'm' }] }),
    );
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  platform = await runHere({
    LIMPEDE_SERVICES: 'gateway,analysis,llm,identity',
    LLM_CLOUD_URL: `http://127.0.0.1:${port}`,
    LLM_CLOUD_API_KEY: 'the-key-of-the-owner',
    LLM_URL: 'none',
  });
});
afterAll(async () => {
  await platform.stop();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

/** Sends a request letter by letter; the status and body of its answer. */
function exchange(
  port: string | undefined,
  lines: readonly string[],
  body = '',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (bytes) => {
      answer += bytes.toString();
    });
    socket.on('error', reject);
    socket.on('close', () =>
      resolve({ status: Number(answer.split(' ')[1]), body: answer.slice(answer.indexOf('\r\n\r\n') + 4) }),
    );
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    socket.write(`${[...lines, ...length, 'Connection: close', '', body].join('\r\n')}`);
  });
}

const CHAT = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
const chat = (...headers: string[]) =>
  exchange(platform.environment.LLM_PORT, ['POST /v1/chat/completions HTTP/1.1', ...headers], CHAT);
const host = 'Host: 127.0.0.1';
const json = 'Content-Type: application/json';

describe('a web page', () => {
  it('of the owner is answered', async () => {
    expect(await chat(host, json)).toMatchObject({ status: 200 });
    expect(forwarded).toBe(1);
  });

  it.each<[string, string[], number]>([
    [
      'plain text, as a form may send it',
      [host, 'Content-Type: text/plain', 'Origin: https://evil.example'],
      400,
    ],
    ['plain text from nowhere', [host, 'Content-Type: text/plain'], 422],
    ['no type at all', [host], 422],
    ['a form', [host, 'Content-Type: application/x-www-form-urlencoded'], 422],
    ['another charset', [host, 'Content-Type: application/json; charset=utf-16'], 422],
    ['an encoding that is not understood', [host, json, 'Content-Encoding: gzip'], 422],
    ['a foreign Origin', [host, json, 'Origin: https://evil.example'], 400],
    ['an Origin of nobody', [host, json, 'Origin: null'], 400],
    ['a foreign Host', ['Host: evil.example', json], 400],
    ['no Host', [json], 400],
    ['two Hosts', [host, 'Host: evil.example', json], 400],
    ['two Authorizations', [host, json, 'Authorization: Bearer a', 'Authorization: Bearer b'], 400],
    ['an expectation of its own', [host, json, 'Expect: money'], 400],
  ])('with %s spends nothing of the owner', async (_name, headers, status) => {
    const before = forwarded;
    const answer = await chat(...headers);
    expect([answer.status, forwarded - before]).toEqual([status, 0]);
    expect(JSON.parse(answer.body)).toHaveProperty('detail');
  });

  it.each<[string, string[]]>([
    ['a foreign Host', ['Host: evil.example']],
    ['no Host', []],
    ['a foreign Origin', [host, 'Origin: https://evil.example']],
    ['two Authorizations', [host, 'Authorization: Bearer a', 'Authorization: Bearer b']],
    ['an expectation of its own', [host, 'Expect: money']],
  ])('with %s gets the documented error of the gateway and of analysis', async (_name, headers) => {
    for (const [port, path] of [
      [platform.environment.GATEWAY_PORT, '/agent-v3/api/v3/pipeline/history'],
      [platform.environment.ANALYSIS_PORT, '/api/v3/pipeline/history'],
    ] as const) {
      const { status, body } = await exchange(port, [`GET ${path} HTTP/1.1`, ...headers]);
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({ success: false, error_code: 'validation_failed' });
    }
  });

  it('may ask for health under any name, as probes do', async () => {
    const answer = await exchange(platform.environment.LLM_PORT, [
      'GET /health HTTP/1.1',
      'Host: probe.example',
    ]);
    expect(answer.status).toBe(200);
  });

  it('cannot send an analysis as plain text either', async () => {
    const token = await platform.token();
    const body = { media_type: 'text', text: 'A text that is long enough to be analysed by everything.' };
    const headers = { 'content-type': 'text/plain' };
    for (const inside of [false, true]) {
      const answer = await platform.ask('/api/v3/pipeline/analyze', { token, body, headers, inside });
      expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed']);
    }
  });
});
