import type { Detail } from '../../foundation/errors.ts';
import { BackendName, ROLES } from './contract.ts';

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
type Path = (string | number)[];

const MOST_MESSAGES = 1000;
const MOST_TOKENS = 1_000_000;
const roles: ReadonlySet<unknown> = new Set(ROLES);

/** The words of a literal error: 'a', 'b' or 'c'. */
function choices(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  return `Input should be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

const ROLE_MESSAGE = choices(ROLES);
const BACKEND_MESSAGE = choices(BackendName.options);

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Collects what is wrong, in the words that clients of Python services know. */
class Problems {
  readonly details: Detail[] = [];

  add(path: Path, type: string, message: string, input: unknown): void {
    this.details.push({ path: ['body', ...path], type, message, input });
  }

  missing(path: Path, parent: unknown): void {
    this.add(path, 'missing', 'Field required', parent);
  }

  /** A number within bounds. A caller's number text is not converted: the bytes go on as they are. */
  number(body: Fields, name: string, minimum: number, maximum: number): void {
    const value = body[name];
    if (!given(value)) return;
    if (typeof value === 'number') this.bounds(name, value, minimum, maximum);
    else if (typeof value === 'string' && !isNumeric(value)) {
      const message = 'Input should be a valid number, unable to parse string as a number';
      this.add([name], 'float_parsing', message, value);
    } else this.add([name], 'float_type', 'Input should be a valid number', value);
  }

  integer(body: Fields, name: string, minimum: number, maximum: number): void {
    const value = body[name];
    if (!given(value)) return;
    if (typeof value === 'number' && Number.isInteger(value)) {
      this.bounds(name, value, minimum, maximum);
    } else if (typeof value === 'number') {
      const message = 'Input should be a valid integer, got a number with a fractional part';
      this.add([name], 'int_from_float', message, value);
    } else if (typeof value === 'string' && !isNumeric(value)) {
      const message = 'Input should be a valid integer, unable to parse string as an integer';
      this.add([name], 'int_parsing', message, value);
    } else this.add([name], 'int_type', 'Input should be a valid integer', value);
  }

  string(body: Fields, name: string): void {
    const value = body[name];
    if (given(value) && typeof value !== 'string')
      this.add([name], 'string_type', 'Input should be a valid string', value);
  }

  private bounds(name: string, value: number, minimum: number, maximum: number): void {
    if (value < minimum) {
      const message = `Input should be greater than or equal to ${minimum}`;
      this.add([name], 'greater_than_equal', message, value);
    } else if (value > maximum) {
      this.add([name], 'less_than_equal', `Input should be less than or equal to ${maximum}`, value);
    }
  }
}

function isNumeric(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

/** The fields that chat and text completions share. */
function checkSampling(body: Fields, problems: Problems): void {
  const { stream } = body;
  if (given(stream) && typeof stream !== 'boolean')
    problems.add(['stream'], 'bool_type', 'Input should be a valid boolean', stream);
  problems.number(body, 'temperature', 0, 2);
  problems.integer(body, 'max_tokens', 1, MOST_TOKENS);
  problems.number(body, 'top_p', 0, 1);
  problems.number(body, 'frequency_penalty', -2, 2);
  problems.number(body, 'presence_penalty', -2, 2);
  const { backend, stop } = body;
  if (given(backend) && !BackendName.options.includes(backend as BackendName))
    problems.add(['backend'], 'literal_error', BACKEND_MESSAGE, backend);
  if (!given(stop) || typeof stop === 'string') return;
  if (!Array.isArray(stop)) {
    problems.add(['stop'], 'list_type', 'Input should be a valid list', stop);
    return;
  }
  stop.forEach((item: unknown, index) => {
    if (typeof item !== 'string')
      problems.add(['stop', index], 'string_type', 'Input should be a valid string', item);
  });
}

function checkModel(body: Fields, required: boolean, problems: Problems): void {
  const { model } = body;
  if (model === undefined || (model === null && !required)) {
    if (required) problems.missing(['model'], body);
  } else if (typeof model !== 'string') {
    problems.add(['model'], 'string_type', 'Input should be a valid string', model);
  } else if (model === '') {
    problems.add(['model'], 'string_too_short', 'String should have at least 1 character', model);
  }
}

/** Content: a text, a list of parts, or for an assistant nothing. */
function checkContent(message: Fields, path: Path, problems: Problems): void {
  const { role, content } = message;
  const place = [...path, 'content'];
  if (content === undefined) {
    const calls = given(message.tool_calls) || given(message.function_call);
    if (role !== 'assistant' || !calls) problems.missing(place, message);
  } else if (content === null) {
    if (role !== 'assistant') problems.add(place, 'string_type', 'Input should be a valid string', null);
  } else if (Array.isArray(content)) {
    checkParts(content, role, place, problems);
  } else if (typeof content !== 'string') {
    problems.add(place, 'string_type', 'Input should be a valid string', content);
  } else if (content === '' && role === 'user') {
    problems.add(place, 'string_too_short', 'String should have at least 1 character', content);
  }
}

function checkParts(parts: readonly unknown[], role: unknown, path: Path, problems: Problems): void {
  if (parts.length === 0 && role === 'user')
    problems.add(path, 'too_short', 'List should have at least 1 item after validation, not 0', parts);
  parts.forEach((part, index) => {
    if (!isObject(part)) {
      problems.add([...path, index], 'dict_type', 'Input should be a valid dictionary', part);
    } else if (part.type === undefined) {
      problems.missing([...path, index, 'type'], part);
    } else if (typeof part.type !== 'string') {
      const message = 'Input should be a valid string';
      problems.add([...path, index, 'type'], 'string_type', message, part.type);
    }
  });
}

function checkMessage(message: unknown, index: number, problems: Problems): void {
  const path = ['messages', index];
  if (!isObject(message)) {
    const text = 'Input should be a valid dictionary or object to extract fields from';
    problems.add(path, 'model_attributes_type', text, message);
    return;
  }
  const { role, content, name } = message;
  // The common case costs three comparisons and nothing else.
  if (typeof content === 'string' && content !== '' && name === undefined && roles.has(role)) return;
  if (role === undefined) problems.missing([...path, 'role'], message);
  else if (!roles.has(role)) problems.add([...path, 'role'], 'literal_error', ROLE_MESSAGE, role);
  checkContent(message, path, problems);
  if (given(name) && typeof name !== 'string')
    problems.add([...path, 'name'], 'string_type', 'Input should be a valid string', name);
}

function checkMessages(body: Fields, problems: Problems): void {
  const { messages } = body;
  if (messages === undefined) {
    problems.missing(['messages'], body);
  } else if (!Array.isArray(messages)) {
    problems.add(['messages'], 'list_type', 'Input should be a valid list', messages);
  } else if (messages.length === 0) {
    const text = 'List should have at least 1 item after validation, not 0';
    problems.add(['messages'], 'too_short', text, messages);
  } else if (messages.length > MOST_MESSAGES) {
    // The input shown is the length: repeating the list would make the answer as large as the request.
    const text = `List should have at most ${MOST_MESSAGES} items after validation, not ${messages.length}`;
    problems.add(['messages'], 'too_long', text, messages.length);
  } else {
    for (let index = 0; index < messages.length; index++) checkMessage(messages[index], index, problems);
  }
}

function notAnObject(body: unknown): Detail[] {
  if (body === undefined)
    return [{ path: ['body'], type: 'missing', message: 'Field required', input: null }];
  const message = 'Input should be a valid dictionary or object to extract fields from';
  return [{ path: ['body'], type: 'model_attributes_type', message, input: body }];
}

function fieldsOf(body: Fields): NamedFields {
  const { model, backend, stream_options } = body;
  const messages = body.messages;
  return {
    model: typeof model === 'string' ? model : undefined,
    backend: given(backend) ? (backend as BackendName) : undefined,
    stream: body.stream === true,
    wantsUsage: isObject(stream_options) && stream_options.include_usage === true,
    hasTemperature: given(body.temperature),
    hasTemplateArguments: given(body.chat_template_kwargs),
    hasDeveloperMessage: Array.isArray(messages) && messages.some(isDeveloperMessage),
  };
}

function isDeveloperMessage(message: unknown): boolean {
  return isObject(message) && message.role === 'developer';
}

/** Checks a chat request: its named fields, or all that is wrong with them. */
export function checkChat(body: unknown): NamedFields | Detail[] {
  if (!isObject(body)) return notAnObject(body);
  const problems = new Problems();
  checkMessages(body, problems);
  checkModel(body, true, problems);
  checkSampling(body, problems);
  const { chat_template_kwargs } = body;
  if (given(chat_template_kwargs) && !isObject(chat_template_kwargs))
    problems.add(
      ['chat_template_kwargs'],
      'dict_type',
      'Input should be a valid dictionary',
      chat_template_kwargs,
    );
  return problems.details.length > 0 ? problems.details : fieldsOf(body);
}

/** Checks a text completion request: its named fields, or all that is wrong with them. */
export function checkText(body: unknown): NamedFields | Detail[] {
  if (!isObject(body)) return notAnObject(body);
  const problems = new Problems();
  const { prompt } = body;
  if (prompt === undefined) problems.missing(['prompt'], body);
  else if (typeof prompt !== 'string' && !Array.isArray(prompt))
    problems.add(['prompt'], 'string_type', 'Input should be a valid string', prompt);
  checkModel(body, false, problems);
  checkSampling(body, problems);
  return problems.details.length > 0 ? problems.details : fieldsOf(body);
}
