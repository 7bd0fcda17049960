import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Api, callJson, pipelinePath } from '../../src/cli/api.ts';
import { followSession } from '../../src/cli/follow.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let agent: Agent;
let access: Api;
let events: Answer;
let statuses: object[];
let requests: IncomingMessage[];

const json = (response: ServerResponse, status: number, body: object, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const statusData = (status: string, progress: number, completed: string[] = []) => ({
  success: true,
  data: { status, progress, stage: null, completed_components: completed },
});
const COMPLETED = statusData('completed', 1, ['claims']);
const event = (id: number, name: string, data: object) =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

beforeEach(async () => {
  requests = [];
  statuses = [COMPLETED];
  events = (_, response) => json(response, 404, { error: 'none', error_code: 'not_found' });
  server = createServer((request, response) => {
    requests.push(request);
    if (request.url?.endsWith('/events')) events(request, response);
    else json(response, 200, statuses.length > 1 ? (statuses.shift() ?? {}) : (statuses[0] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  agent = new Agent();
  const { port } = server.address() as AddressInfo;
  access = { url: `http://127.0.0.1:${port}`, token: 't', agent };
});
afterEach(async () => {
  await agent.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const follow = async (total = 2, language: 'en' | 'ro' = 'en') => {
  const lines: string[] = [];
  await followSession(access, 's1', total, (line) => lines.push(line), language);
  return lines;
};

describe('a session is followed', () => {
  it('by its events', async () => {
    events = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event(1, 'session.status', { status: 'running' }));
      response.write(event(2, 'component.started', { component: 'claims', status: 'running' }));
      response.write(event(3, 'component.completed', { component: 'claims', status: 'ran' }));
      response.write('event: heartbeat\ndata: {}\n\n');
      response.write(
        event(4, 'component.degraded', { status: 'degraded', message: 'The web service is late.' }),
      );
      response.write(event(5, 'component.completed', { component: 'domain', status: 'lost' }));
      response.write(event(6, 'verdict.final', { status: 'completed', risk_score: 10 }));
      response.end(event(7, 'session.status', { status: 'completed' }));
    };
    expect(await follow()).toEqual([
      '0% running',
      '33% claims',
      'The web service is late.',
      '67% source: lost',
      '100% completed',
    ]);
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer t', accept: 'text/event-stream' });
  });

  it('in Romanian, with the parts of long steps', async () => {
    events = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event(1, 'session.status', { status: 'processing' }));
      response.write(event(2, 'stage.started', { component: null, stage: 'transcription' }));
      response.write(event(3, 'component.completed', { component: 'claims', status: 'skipped' }));
      response.write(
        event(4, 'component.degraded', {
          status: 'degraded',
          message: 'The web service is late.',
          message_ro: 'Serviciul web întârzie.',
        }),
      );
      response.write(event(5, 'stage.started', { component: null, stage: 'of a newer platform' }));
      response.end(event(6, 'session.status', { status: 'completed' }));
    };
    expect(await follow(2, 'ro')).toEqual([
      '0% se pregătește',
      '0% se transcrie ce se spune',
      '33% afirmațiile: nu a rulat',
      'Serviciul web întârzie.',
      '33% of a newer platform',
      '100% încheiată',
    ]);
  });

  it('from where the stream broke off, without a line twice', async () => {
    statuses = [statusData('running', 0.5), COMPLETED];
    let opened = 0;
    events = (request, response) => {
      opened += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (opened === 1) {
        response.write(event(1, 'component.completed', { component: 'claims', status: 'ran' }));
        setTimeout(() => response.destroy(), 20);
        return;
      }
      expect(request.headers['last-event-id']).toBe('1');
      response.write(event(2, 'component.completed', { component: 'domain', status: 'ran' }));
      response.end(event(3, 'session.status', { status: 'completed' }));
    };
    expect(await follow()).toEqual(['33% claims', '67% source', '100% completed']);
    expect(opened).toBe(2);
  });

  it('by its status where the platform has no events', async () => {
    statuses = [statusData('running', 0.25), statusData('running', 0.25), COMPLETED];
    expect(await follow()).toEqual(['25% running', '100% completed claims']);
    expect(requests.filter(({ url }) => url?.endsWith('/events'))).toHaveLength(1);
  });
});

describe('a call', () => {
  it('is repeated as the platform asks when it comes too often', async () => {
    let refusals = 0;
    events = (_, response) => {
      refusals += 1;
      if (refusals < 3) json(response, 429, { error: 'slow down' }, { 'retry-after': '0' });
      else json(response, 200, { fine: true });
    };
    expect(await callJson(access, 'GET', pipelinePath('x/events'))).toEqual({ fine: true });
    expect(refusals).toBe(3);
  });

  it('that is refused says why, in one line', async () => {
    events = (_, response) =>
      json(response, 400, {
        error: 'Not valid.',
        error_code: 'validation_failed',
        details: [{ path: 'body.text', message: 'too short' }],
      });
    await expect(callJson(access, 'GET', pipelinePath('x/events'))).rejects.toMatchObject({
      name: 'UserError',
      status: 400,
      message: '400 validation_failed: Not valid.; body.text: too short',
    });
  });

  it('to a platform that is away says so', async () => {
    const away = { ...access, url: 'http://127.0.0.1:1' };
    await expect(callJson(away, 'GET', '/')).rejects.toThrow('nothing runs at http://127.0.0.1:1');
  });
});
