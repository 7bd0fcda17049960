import { isAscii, isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type { Detail, Failure } from '../../../foundation/errors.ts';
import { details } from '../../../foundation/validation.ts';
import {
  BACKENDS,
  type BackendName,
  type CompletionOperation,
  chatRequest,
  MAX_LIST_ITEMS,
  message,
  ROLES,
  textRequest,
} from '../contract.ts';
import { errors } from '../errors.ts';

/** What the gateway itself needs to know of a request body; everything else is the backend's business. */
export interface NamedFields {
  readonly model: string | undefined;
  readonly backend: BackendName | undefined;
  readonly stream: boolean;
  /** Whether the caller asked for the usage event of a stream. */
  readonly wantsUsage: boolean;
  readonly hasTemperature: boolean;
  readonly hasTemplateArguments: boolean;
  readonly hasDeveloperMessage: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** No more problems than these are listed: an answer stays small whatever the request was. */
const MAX_PROBLEMS = 100;

const ROLE_NAMES: ReadonlySet<unknown> = new Set(ROLES);

/** A chat request but for its messages, which are checked one by one so that checking can stop early. */
const chatFields = chatRequest.extend({ messages: z.array(z.unknown()).min(1).max(MAX_LIST_ITEMS) });

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Cuts the list under `key` to one element more than allowed: a list that is too long is refused before it is read. */
function cutList(value: unknown, key: string): unknown {
  if (!isObject(value)) return value;
  const list = value[key];
  const fits = !Array.isArray(list) || list.length <= MAX_LIST_ITEMS;
  return fits ? value : { ...value, [key]: list.slice(0, MAX_LIST_ITEMS + 1) };
}

/** The problems of a value that stands at `path` in the body. */
function problemsOf(schema: z.ZodType, value: unknown, path: readonly (string | number)[] = []): Detail[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const problems = details(result.error.issues.slice(0, MAX_PROBLEMS), value, 'body');
  return problems.map((problem) => ({ ...problem, path: ['body', ...path, ...problem.path.slice(1)] }));
}

/** Whether a message is of the commonest form, which the schema is known to accept: it need not be asked. */
function isPlainMessage(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const { role, content, name } = entry;
  return typeof content === 'string' && content !== '' && name === undefined && ROLE_NAMES.has(role);
}

function messageProblems(messages: unknown): Detail[] {
  if (!Array.isArray(messages) || messages.length > MAX_LIST_ITEMS) return [];
  const problems: Detail[] = [];
  for (let index = 0; index < messages.length && problems.length < MAX_PROBLEMS; index++) {
    const entry: unknown = messages[index];
    if (isPlainMessage(entry)) continue;
    problems.push(...problemsOf(message, cutList(entry, 'content'), ['messages', index]));
  }
  return problems;
}

/** What is wrong with a request body; empty when nothing is. Agrees with the schema of the operation in the contract. */
export function requestProblems(operation: CompletionOperation, body: unknown): Detail[] {
  if (operation === 'complete') return problemsOf(textRequest, cutList(body, 'stop'));
  const messages = messageProblems(isObject(body) ? body.messages : undefined);
  const fields = problemsOf(chatFields, cutList(cutList(body, 'messages'), 'stop'));
  return [...messages, ...fields].slice(0, MAX_PROBLEMS);
}

function isDeveloperMessage(entry: unknown): boolean {
  return isObject(entry) && entry.role === 'developer';
}

/** Reads the named fields of a body without problems. */
export function namedFields(body: Fields): NamedFields {
  const { model, backend, messages, stream_options: options } = body;
  return {
    model: typeof model === 'string' ? model : undefined,
    backend: BACKENDS.find((name) => name === backend),
    stream: body.stream === true,
    wantsUsage: isObject(options) && options.include_usage === true,
    hasTemperature: typeof body.temperature === 'number',
    hasTemplateArguments: isObject(body.chat_template_kwargs),
    hasDeveloperMessage: Array.isArray(messages) && messages.some(isDeveloperMessage),
  };
}

/** A checked request. */
export interface CompletionRequest {
  readonly operation: CompletionOperation;
  readonly body: Buffer;
  readonly parsed: Readonly<Record<string, unknown>>;
  readonly fields: NamedFields;
  readonly caller: string;
}

/** Parses and checks a body; throws a failure that lists what is wrong. */
export function parseCompletionRequest(
  operation: CompletionOperation,
  body: Buffer,
  caller: string,
): CompletionRequest {
  const parsed = parseBody(body);
  const problems = requestProblems(operation, parsed);
  if (problems.length > 0 || !isObject(parsed)) throw errors.validation_failed({ details: problems });
  const fields = namedFields(parsed);
  if (operation === 'complete' && fields.stream)
    throw errors.invalid_parameter({ message: 'Text completions are not streamed.' });
  return { operation, body, parsed, fields, caller };
}

/** The JSON value of a body; undefined for an empty one. */
function parseBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  // Decoding plain ASCII as Latin-1 is a copy; decoding UTF-8 looks at every byte again.
  const ascii = isAscii(body);
  if (!ascii && !isUtf8(body)) throw invalidJson('The body is not UTF-8.');
  try {
    return JSON.parse(body.toString(ascii ? 'latin1' : 'utf8'));
  } catch (error) {
    throw invalidJson(error instanceof Error ? error.message : 'The body is not JSON.');
  }
}

function invalidJson(reason: string): Failure {
  const message = `JSON decode error: ${reason}`;
  return errors.invalid_json({
    message,
    details: [{ path: ['body'], type: 'json_invalid', message, input: {} }],
  });
}
