import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Platform } from '../../../src/foundation/platform.ts';
import { buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { llmService } from '../../../src/services/llm/service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** An answer of the gateway. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** A request under way: its answer, its pieces as they come, and a way to leave. */
export interface Pending {
  readonly answer: Promise<Answer>;
  /** Resolves once so much text has come. */
  seen(text: string): Promise<void>;
  leave(): void;
}

/** A running gateway in front of scripted model servers. */
export interface RunningGateway {
  readonly url: string;
  readonly gpu: Upstream;
  readonly cloud: Upstream;
  readonly metrics: Registry;
  send(path: string, body?: unknown, headers?: Record<string, string>): Pending;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  metric(name: string, labels?: Record<string, string | number>): Promise<number>;
  close(): Promise<void>;
}

function start(url: string, body: unknown, headers: Record<string, string>): Pending {
  let text = '';
  let waiting: { text: string; resolve: () => void }[] = [];
  const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const request = httpRequest(url, {
    method: sent === undefined ? 'GET' : 'POST',
    headers: { ...(sent !== undefined && { 'content-type': 'application/json' }), ...headers },
    agent: false,
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        for (const one of waiting) if (text.includes(one.text)) one.resolve();
        waiting = waiting.filter((one) => !text.includes(one.text));
      });
      response.on('error', reject);
      response.on('end', () => {
        let parsed: Record<string, unknown> = {};
        if (String(response.headers['content-type']).startsWith('application/json'))
          parsed = JSON.parse(text);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed });
      });
    });
  });
  answer.catch(() => undefined);
  request.end(sent);
  return {
    answer,
    seen: (wanted) => {
      if (text.includes(wanted)) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.push({ text: wanted, resolve });
      });
    },
    leave: () => request.destroy(),
  };
}

/** Limits so wide that only tests of limits meet them. */
const WIDE = {
  LLM_RATE_LIMIT_RPS: '100000',
  LLM_RATE_LIMIT_BURST: '100000',
  LLM_USAGE: 'false',
  LLM_RETRY_DELAY_MS: '1',
};

/** Starts a gateway with a gpu backend, and with `cloud: true` a cloud backend too. */
export async function startGateway(
  settings: Record<string, string> = {},
  options: {
    cloud?: boolean;
    database?: Platform['database'];
    configuration?: Platform['configuration'];
  } = {},
): Promise<RunningGateway> {
  const gpu = await startUpstream();
  const cloud = await startUpstream();
  cloud.models = [{ id: 'c', object: 'model', created: 1, owned_by: 'test', context_length: 8192 }];
  const metrics = new Registry();
  const platform: Platform = {
    home: '',
    version: '1.2.3',
    publicUrl: 'http://127.0.0.1',
    log: pino({ level: 'silent' }),
    metrics,
    database: options.database ?? (() => Promise.reject(new Error('there is no database'))),
    ...(options.configuration && { configuration: options.configuration }),
  };
  const given = parseSettings(llmService.settings, {
    ...WIDE,
    LLM_GPU_URL: gpu.url,
    ...(options.cloud && { LLM_CLOUD_URL: `${cloud.url}/v1`, LLM_CLOUD_API_KEY: 'secret' }),
    ...settings,
  });
  const built = await buildService(llmService, given, platform);
  await built.app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(built.app.server.address() as AddressInfo).port}`;
  const send = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    start(url + path, body, headers);
  return {
    url,
    gpu,
    cloud,
    metrics,
    send,
    post: (path, body, headers) => send(path, body, headers).answer,
    get: (path, headers) => send(path, undefined, headers).answer,
    metric: async (name, labels = {}) => {
      const found = (await metrics.getMetricsAsJSON()).find((one) => one.name === name);
      const values = (found?.values ?? []) as {
        value: number;
        labels: Record<string, unknown>;
        metricName?: string;
      }[];
      const wanted = Object.entries(labels);
      const matching = values.filter(
        (one) =>
          (one.metricName === undefined || one.metricName === name || one.metricName === `${name}_count`) &&
          wanted.every(([key, value]) => one.labels[key] === value),
      );
      return matching.reduce((sum, { value }) => sum + value, 0);
    },
    close: async () => {
      await built.close();
      await Promise.all([gpu.close(), cloud.close()]);
    },
  };
}

/** The smallest chat request. */
export function chat(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more };
}

export const CHAT = '/v1/chat/completions';
export const TEXT = '/v1/completions';
