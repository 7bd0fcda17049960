import { type Failure, validationRows } from '../../../foundation/errors.ts';

/** The `error.type` word of a status, as clients of the OpenAI family know them. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  501: 'not_supported_error',
  503: 'overloaded_error',
};

/** The `error` object that standard clients read. */
export interface ErrorObject {
  message: string;
  type: string;
  code: string | number | null;
  param: string | null;
}

/** An error object of the backend, passed to the caller unchanged. */
export class VendorError extends Error {
  readonly error: ErrorObject;

  constructor(error: ErrorObject) {
    super(error.message);
    this.name = 'VendorError';
    this.error = error;
  }
}

/** A sentence for people: what is wrong where, or the message of the failure. */
function sentence(failure: Failure): string {
  const first = failure.details[0];
  if (first === undefined) return failure.message;
  const more = failure.details.length > 1 ? ` (and ${failure.details.length - 1} more)` : '';
  return `${first.path.slice(1).join('.') || 'body'}: ${first.message}${more}`;
}

/** The `error` object of a failure; that of the backend when the failure comes from there. */
export function errorObject(failure: Failure): ErrorObject {
  const { status, code, cause } = failure;
  if (cause instanceof VendorError && status < 500) return cause.error;
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  const param = failure.details[0]?.path.slice(1).join('.') || null;
  return { message: sentence(failure), type, code, param };
}

/** An input is shown when its JSON has at most so many characters: an error never repeats a whole picture. */
const LONGEST_INPUT = 10_000;

function isShown(input: unknown): boolean {
  try {
    return (JSON.stringify(input)?.length ?? 0) <= LONGEST_INPUT;
  } catch {
    // Nested beyond what can be written out.
    return false;
  }
}

function rows(failure: Failure): unknown {
  return validationRows(failure).map((row) => (isShown(row.input) ? row : { ...row, input: null }));
}

/** The row of a body that could not be parsed. */
function malformedRow(failure: Failure): unknown {
  const type = failure.code === 'invalid_json' ? 'json_invalid' : 'value_error';
  return [{ type, loc: ['body'], msg: failure.message, input: null }];
}

/** The `detail` of the specification: rows for 422, an object for 401, else a sentence. */
function detail(failure: Failure): unknown {
  if (failure.status === 401) return { error: failure.code, message: failure.message };
  if (failure.status === 422) return failure.details.length > 0 ? rows(failure) : malformedRow(failure);
  return failure.message;
}

/** The error body: `detail` as specified, and beside it the `error` object that standard clients read. */
export function errorBody(failure: Failure): Record<string, unknown> {
  return { detail: detail(failure), error: errorObject(failure) };
}

/** Headers that say when to come back: whole seconds, at least 1, and exact milliseconds. */
export function retryHeaders(milliseconds: number): Record<string, string> {
  const exact = Math.max(1, Math.ceil(milliseconds));
  return { 'retry-after': String(Math.max(1, Math.ceil(exact / 1000))), 'retry-after-ms': String(exact) };
}
