import type { Script } from '../upstream.ts';
import { begin, done, event, json, plainAnswer } from '../upstream.ts';

/** Any key: the gateway of these tests asks for none unless a test says so. */
export const KEY = 'test-key';

/** The question that tool tests ask for. */
export const weatherCall = { name: 'weather', arguments: { city: 'Iași' } } as const;

const callArguments = JSON.stringify(weatherCall.arguments);

function chunk(delta: Record<string, unknown>, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

/** The usage event as model servers send it: with the id of its stream, which clients look for. */
const usageChunk = `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: plainAnswer.usage })}\n\n`;

/** A plain answer with this text. */
export function says(content: string): Script {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return ({ response }) => json(response, 200, { ...plainAnswer, choices });
}

/** A refusal of the model server. */
export function refuses(status: number, message: string, headers: Record<string, string> = {}): Script {
  return ({ response }) =>
    json(response, status, { error: { message, type: 'server_error', code: null, param: null } }, headers);
}

/** A stream of two words, with the usage event when it was asked for. */
export const streamsWords: Script = ({ body, response }) => {
  begin(response);
  response.write(chunk({ role: 'assistant', content: '' }));
  response.write(event('Bună '));
  response.write(event('ziua'));
  response.write(event(undefined, 'stop'));
  const options = body.stream_options as { include_usage?: boolean } | undefined;
  if (options?.include_usage === true) response.write(usageChunk);
  response.end(done);
};

/** A stream that goes on until the caller leaves. */
export const streamsForEver: Script = ({ response }) => {
  begin(response);
  response.write(chunk({ role: 'assistant', content: '' }));
  const timer = setInterval(() => response.write(event('x')), 5);
  response.on('close', () => clearInterval(timer));
};

/** A stream whose connection breaks after its first word. */
export const streamsAndBreaks: Script = ({ response }) => {
  begin(response);
  response.write(event('Bună'));
  setTimeout(() => response.destroy(), 20);
};

/** A stream that ends in good form but without its finish. */
export const streamsWithoutFinish: Script = ({ response }) => {
  begin(response);
  response.end(event('Bună'));
};

/** A model server that accepts the request and then says nothing. */
export const staysSilent: Script = () => {};

/** A plain answer that calls a tool. */
export const callsTool: Script = ({ response }) => {
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: weatherCall.name, arguments: callArguments },
  };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  json(response, 200, { ...plainAnswer, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
};

/** A stream that calls a tool, its arguments in three pieces. */
export const streamsToolCall: Script = ({ response }) => {
  begin(response);
  const piece = (more: Record<string, unknown>) => chunk({ tool_calls: [{ index: 0, ...more }] });
  response.write(chunk({ role: 'assistant', content: null }));
  response.write(piece({ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }));
  for (const part of [callArguments.slice(0, 5), callArguments.slice(5, 9), callArguments.slice(9)])
    response.write(piece({ function: { arguments: part } }));
  response.write(chunk({}, 'tool_calls'));
  response.end(done);
};

/** A model server that calls the tool, and answers once it was given the result. */
export const usesTool: Script = (arrival) => {
  const messages = arrival.body.messages as { role: string; content: unknown }[];
  const result = messages.find(({ role }) => role === 'tool');
  if (result === undefined) callsTool(arrival);
  else says(`Result: ${String(result.content)}`)(arrival);
};

/** A stream error that came as an event. */
export const streamsError: Script = ({ response }) => {
  begin(response);
  response.write(event('Bună'));
  response.end(`data: ${JSON.stringify({ error: { message: 'out of memory', type: 'server_error' } })}\n\n`);
};

/** The schema that structured answers are asked for. */
export const verdictSchema = {
  type: 'object',
  properties: { label: { type: 'string' }, score: { type: 'number' } },
  required: ['label', 'score'],
  additionalProperties: false,
} as const;

/** A structured answer. */
export const verdict = { label: 'fals', score: 0.5 };

/** The smallest picture, for content arrays. */
export const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Milliseconds until the server noticed that its caller left, counted from `since` on the clock of performance.now(). */
export async function noticedAfter(left: Promise<void> | undefined, since: number): Promise<number> {
  if (left === undefined) throw new Error('the request never reached the server');
  await left;
  return performance.now() - since;
}

/** Far above the 100 ms of the specification's aim, so that a busy machine fails no test. */
export const NOTICED_MS = 1000;
