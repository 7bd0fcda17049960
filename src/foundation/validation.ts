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

/** Prefix of the type word, and the words of the message, of what has a length. */
const LENGTH_WORDS: Record<string, [prefix: string, subject: string, unit: string]> = {
  string: ['string_', 'String', 'character'],
  array: ['', 'List', 'item'],
  set: ['', 'Set', 'item'],
  file: ['', 'File', 'byte'],
};

const TYPE_WORDS: Record<string, [type: string, message: string]> = {
  string: ['string_type', 'Input should be a valid string'],
  number: ['float_type', 'Input should be a valid number'],
  int: ['int_type', 'Input should be a valid integer'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['model_attributes_type', 'Input should be a valid dictionary or object to extract fields from'],
  record: ['dict_type', 'Input should be a valid dictionary'],
};

/** What a schema may say of a field that is not there, by its kind. */
const CODES_OF_ABSENCE: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

/** Numbers have words of their own for what nearly is one. */
function describeNumber(expected: 'int' | 'number', input: unknown): [type: string, message: string] {
  const [kind, name] = expected === 'int' ? ['int', 'integer'] : ['float', 'number'];
  if (typeof input === 'string' && !isNumeric(input))
    return [
      `${kind}_parsing`,
      `Input should be a valid ${name}, unable to parse string as ${expected === 'int' ? 'an' : 'a'} ${name}`,
    ];
  if (input === Number.POSITIVE_INFINITY || input === Number.NEGATIVE_INFINITY)
    return ['finite_number', 'Input should be a finite number'];
  if (expected === 'int' && typeof input === 'number')
    return ['int_from_float', 'Input should be a valid integer, got a number with a fractional part'];
  return [`${kind}_type`, `Input should be a valid ${name}`];
}

function isNumeric(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

function describeType(expected: string, input: unknown): [type: string, message: string] {
  if (expected === 'int' || expected === 'number') return describeNumber(expected, input);
  return TYPE_WORDS[expected] ?? ['type_error', `Input should be a valid ${expected}`];
}

/** `bound` is the smallest or largest value that is allowed, or that is not when it is exclusive. */
function describeBound(
  issue: { origin: string; inclusive?: boolean | undefined },
  bound: number | bigint,
  isMinimum: boolean,
): [type: string, message: string] {
  const words = LENGTH_WORDS[issue.origin];
  if (words !== undefined) {
    const [prefix, subject, unit] = words;
    const units = Number(bound) === 1 ? unit : `${unit}s`;
    const limit = `${isMinimum ? 'at least' : 'at most'} ${bound} ${units}`;
    return [`${prefix}too_${isMinimum ? 'short' : 'long'}`, `${subject} should have ${limit}`];
  }
  const type = isMinimum ? 'greater_than' : 'less_than';
  const comparison = isMinimum ? 'greater than' : 'less than';
  return issue.inclusive === false
    ? [type, `Input should be ${comparison} ${bound}`]
    : [`${type}_equal`, `Input should be ${comparison} or equal to ${bound}`];
}

/** Type word and message of one issue, in the words of pydantic, which clients of Python services know. */
function describe(issue: Issue, input: unknown): [type: string, message: string] {
  if (input === undefined && CODES_OF_ABSENCE.has(issue.code)) return ['missing', 'Field required'];
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected, input);
    case 'too_small':
      return describeBound(issue, issue.minimum, true);
    case 'too_big':
      return describeBound(issue, issue.maximum, false);
    case 'invalid_value':
      return ['literal_error', `Input should be ${oneOf(issue.values)}`];
    case 'invalid_format':
      // A pattern has no name; what its schema says of it is what a reader can use.
      if (issue.format === 'regex') return ['string_pattern_mismatch', issue.message];
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

/** The issues of the alternative of a union that the value came closest to: the one whose type it has, else the first. */
function withoutUnions(issue: Issue, input: unknown): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  if (valueAt(input, issue.path) === undefined) return [issue];
  const isWrongType = ({ code, path }: Issue) => path.length === 0 && code === 'invalid_type';
  const closest = issue.errors.find((issues) => !issues.some(isWrongType)) ?? issue.errors[0] ?? [];
  return closest.flatMap((inner) =>
    withoutUnions({ ...inner, path: [...issue.path, ...inner.path] } as Issue, input),
  );
}

/** One row for each place: the last check of a value is the one that knows its limits. */
function onePerPlace(rows: readonly Detail[]): Detail[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row.path), row])).values()];
}

/** Zod issues as details; `place` is body, query, path or headers. */
export function details(issues: readonly Issue[], input: unknown, place: string): Detail[] {
  const rows = issues
    .flatMap((issue) => withoutUnions(issue, input))
    .map((issue) => {
      const value = valueAt(input, issue.path);
      const [type, message] = describe(issue, value);
      const path = [place, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
      const shown = type === 'missing' ? valueAt(input, issue.path.slice(0, -1)) : value;
      return { path, message, type, ...(shown !== undefined && { input: shown }) };
    });
  return onePerPlace(rows);
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
export function parseJsonBody(bytes: Uint8Array, errors: FoundationFailures): unknown {
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
