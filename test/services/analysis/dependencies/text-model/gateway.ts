import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '../../../../../src/foundation/client.ts';
import {
  createTextModel,
  type TextModelLimits,
} from '../../../../../src/services/analysis/dependencies/text-model/gateway-model.ts';
import { clientPerModel } from '../../../../../src/services/analysis/dependencies/text-model/model-clients.ts';
import { createServingModel } from '../../../../../src/services/analysis/dependencies/text-model/serving.ts';
import type { TextModel } from '../../../../../src/services/analysis/dependencies/text-model/text-model.ts';
import { llm, type Model } from '../../../../../src/services/llm/contract.ts';

/** One question as it reached the gateway. */
export interface Arrival {
  readonly body: {
    model: string;
    messages: { role: string; content: string }[];
    response_format?: { type: string; json_schema: { name: string; schema: object } };
    temperature: number;
    max_tokens: number;
  };
  /** The key of the prompt, as the form of the answer names it. */
  readonly task: string | undefined;
  readonly response: ServerResponse;
}

/** What the gateway does with a question. */
type Script = (arrival: Arrival) => unknown;

/** A scripted text-model gateway on 127.0.0.1 that speaks the contract. */
export interface ScriptedGateway {
  readonly url: string;
  readonly arrivals: Arrival[];
  script: Script;
  models: Model[];
  /** Backends that it could use; with models there is one anyway. */
  backends: Model['backend'][];
  close(): Promise<void>;
}

/** An entry of the list of models. */
export function model(id: string, more: Partial<Model> = {}): Model {
  return {
    id,
    object: 'model',
    created: 1,
    owned_by: 'test',
    backend: 'gpu',
    loaded: true,
    context_length: null,
    capabilities: ['chat'],
    ...more,
  };
}

/** Answers with JSON. */
export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Says something as a model: a text as it stands, anything else as JSON. */
export function say(
  { response, body }: Pick<Arrival, 'response' | 'body'>,
  content: unknown,
  more: { finish_reason?: string; model?: string; backend?: string } = {},
): void {
  const { finish_reason = 'stop', ...rest } = more;
  json(response, 200, {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: body.model,
    backend: 'gpu',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: typeof content === 'string' ? content : JSON.stringify(content),
        },
        finish_reason,
      },
    ],
    ...rest,
  });
}

/** Lists all models, or those of a backend, which is refused when it is not there. */
function listModels({ models, backends }: ScriptedGateway, backend: string | null, response: ServerResponse) {
  const data = models.filter((each) => backend === null || each.backend === backend);
  const known = backend === null || data.length > 0 || backends.some((each) => each === backend);
  if (known) return json(response, 200, { object: 'list', data });
  return json(response, 400, { error: { message: `The ${backend} backend is not configured.` } });
}

/** Starts a gateway with one model; at first it says nothing useful. */
export async function startGateway(): Promise<ScriptedGateway> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gateway');
      if (pathname === '/v1/models') return listModels(gateway, searchParams.get('backend'), response);
      if (request.url === '/v1/backends') return json(response, 200, { backends: gateway.backends });
      if (request.url !== '/v1/chat/completions') return json(response, 404, { detail: 'Not Found' });
      const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as Arrival['body'];
      const arrival = { body, task: body.response_format?.json_schema.name, response };
      gateway.arrivals.push(arrival);
      gateway.script(arrival);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gateway: ScriptedGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    script: (arrival) => say(arrival, {}),
    models: [model('m')],
    backends: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gateway;
}

/** An address on 127.0.0.1 without a listener. */
export async function deadAddress(): Promise<string> {
  const gateway = await startGateway();
  await gateway.close();
  return gateway.url;
}

/** A text model over a gateway, with its connections to be closed. */
export function modelAt(
  url: string,
  more: Partial<TextModelLimits> & { named?: string; restMs?: number } = {},
): TextModel & { close(): Promise<void> } {
  const { named, restMs = 60_000, ...limits } = more;
  const options = { name: 'llm', url, timeoutMs: 10_000, answerBytes: 64 * 1024 };
  const lister = createClient(llm, options);
  const breaker = { requests: 2, failureShare: 0.4, openMs: restMs };
  const client = clientPerModel(() => createClient(llm, { ...options, breaker }));
  const serving = createServingModel(lister, named);
  return {
    ...createTextModel(client, serving, { timeoutMs: 10_000, calls: 4, textLength: 8_000, ...limits }),
    close: async () => {
      await Promise.all([lister.close(), client.close()]);
    },
  };
}
