import type { z } from 'zod';
import type { Detail, FoundationFailures } from './errors.ts';

/** JSON deeper than this is refused: no document of ours comes near, and recursion elsewhere stays safe. */
const DEEPEST_JSON = 64;

type Issue = z.core.$ZodIssue;

/** The value at a path, or undefined. */
function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

const ORIGIN_WORDS: Record<string, string> = { string: 'string', array: 'list', set: 'set', file: 'file' };

const TYPE_WORDS: Record<string, [type: string, message: string]> = {
  string: ['string_type', 'Input should be a valid string'],
  number: ['float_type', 'Input should be a valid number'],
  int: ['int_type', 'Input should be a valid integer'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['dict_type', 'Input should be a valid object'],
  record: ['dict_type', 'Input should be a valid object'],
};

/** What a schema may say of a field that is not there, by its kind. */
const CODES_OF_ABSENCE: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

/** Type word and message of one issue, in the words that clients of Python services know. */
function describe(issue: Issue, input: unknown): [type: string, message: string] {
  if (input === undefined && CODES_OF_ABSENCE.has(issue.code)) return ['missing', 'Field required'];
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? ['type_error', `Input should be a valid ${issue.expected}`];
    case 'too_small': {
      const word = ORIGIN_WORDS[issue.origin];
      if (word !== undefined) return [`${word}_too_short`, tooShort(word, Number(issue.minimum))];
      return issue.inclusive === false
        ? ['greater_than', `Input should be greater than ${issue.minimum}`]
        : ['greater_than_equal', `Input should be greater than or equal to ${issue.minimum}`];
    }
    case 'too_big': {
      const word = ORIGIN_WORDS[issue.origin];
      if (word !== undefined) return [`${word}_too_long`, tooLong(word, Number(issue.maximum))];
      return issue.inclusive === false
        ? ['less_than', `Input should be less than ${issue.maximum}`]
        : ['less_than_equal', `Input should be less than or equal to ${issue.maximum}`];
    }
    case 'invalid_value':
      return ['literal_error', `Input should be ${oneOf(issue.values)}`];
    case 'invalid_format':
      return [`${issue.format}_parsing`, `Input should be a valid ${issue.format}`];
    default:
      return [issue.code === 'custom' ? 'value_error' : issue.code, issue.message];
  }
}

/** `'a', 'b' or 'c'`. */
function oneOf(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  const last = quoted.pop() ?? 'nothing';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

function tooShort(word: string, minimum: number): string {
  return word === 'string'
    ? `String should have at least ${minimum} characters`
    : `List should have at least ${minimum} items`;
}

function tooLong(word: string, maximum: number): string {
  return word === 'string'
    ? `String should have at most ${maximum} characters`
    : `List should have at most ${maximum} items`;
}

/** Zod issues as details; `place` is body, query, path or headers. */
export function details(issues: readonly Issue[], input: unknown, place: string): Detail[] {
  return issues.map((issue) => {
    const value = valueAt(input, issue.path);
    const [type, message] = describe(issue, value);
    const path = [place, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
    const shown = type === 'missing' ? valueAt(input, issue.path.slice(0, -1)) : value;
    return { path, message, type, ...(shown !== undefined && { input: shown }) };
  });
}

/** Checks one part of a request; adds what is wrong to `problems`. */
export function check<Schema extends z.ZodType>(
  schema: Schema | undefined,
  input: unknown,
  place: string,
  problems: Detail[],
): z.output<Schema> | undefined {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  problems.push(...details(result.error.issues, input, place));
  return undefined;
}

/** Whether brackets outside strings nest deeper than the limit; linear in the length. */
function tooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inString) {
      if (byte === 0x5c) index++;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEPEST_JSON) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a JSON body; throws invalid_json with the reason. An absent body is undefined. */
export function parseJson(bytes: Uint8Array, errors: FoundationFailures): unknown {
  if (bytes.length === 0) return undefined;
  if (tooDeep(bytes)) {
    throw errors.invalid_json({ message: `The body nests deeper than ${DEEPEST_JSON} levels.` });
  }
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw errors.invalid_json({ cause });
  }
}
