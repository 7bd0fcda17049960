/** One place in the input that is wrong. `path` starts with body, query, path or headers. */
export interface Detail {
  path: (string | number)[];
  message: string;
  type: string;
  input?: unknown;
}

/** Details that may be added to a failure when it is thrown. */
export interface FailureOptions {
  message?: string;
  details?: Detail[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A failure from an error table: the only errors whose code and message reach a caller. */
export class Failure extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Detail[];
  readonly headers: Record<string, string>;

  constructor(code: string, status: number, message: string, options: FailureOptions = {}) {
    super(options.message ?? message, { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.status = status;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }
}

/** An error table: HTTP status and English message by error code. */
export type FailureTable = Record<string, readonly [status: number, message: string]>;

/** Makes a failure of one code. */
export type FailureMaker = (options?: FailureOptions) => Failure;

/** The makers of a table, one for each code. */
export type Failures<Table extends FailureTable = FailureTable> = {
  readonly [Code in keyof Table]: FailureMaker;
};

/** The codes that the foundation itself throws; every table has them. */
export type FoundationFailures = Failures<
  Record<
    | 'validation_failed'
    | 'invalid_json'
    | 'payload_too_large'
    | 'not_found'
    | 'internal_error'
    | 'shutting_down',
    readonly [number, string]
  >
>;

/** Turns an error table into makers: `throw errors.queue_empty()`. `headersOf` names the headers that go with a status. */
export function defineFailures<const Table extends FailureTable>(
  table: Table,
  headersOf: (status: number) => Record<string, string> = () => ({}),
): Failures<Table> {
  const makers = Object.entries(table).map(([code, [status, message]]) => {
    const standing = headersOf(status);
    const make: FailureMaker = (options) =>
      new Failure(code, status, message, { ...options, headers: { ...standing, ...options?.headers } });
    return [code, make] as const;
  });
  return Object.fromEntries(makers) as Failures<Table>;
}

/** The rows of a table, for the generated documentation. */
export function failureRows(
  makers: Record<string, FailureMaker>,
): { code: string; status: number; message: string }[] {
  return Object.values(makers).map((make) => {
    const { code, status, message } = make();
    return { code, status, message };
  });
}

/** The error body of the analysis service and the gateway (ErrorResponse of the first document). */
export function errorResponse(failure: Failure, correlationId: string): Record<string, unknown> {
  const details = failure.details.map(({ path, message }) => ({ path: path.join('.'), message }));
  return {
    success: false,
    error: failure.message,
    error_code: failure.code,
    correlation_id: correlationId,
    ...(details.length > 0 && { details }),
  };
}

/** The `detail[]` rows of a 422 body in the shape that clients of chat-completion servers expect. */
export function validationRows(
  failure: Failure,
): { type: string; loc: (string | number)[]; msg: string; input: unknown }[] {
  return failure.details.map(({ type, path, message, input }) => ({
    type,
    loc: path,
    msg: message,
    input: input ?? null,
  }));
}

/** The error body of services in the form of FastAPI: rows for what is wrong with the input, else code and message. */
export function detailBody(failure: Failure): Record<string, unknown> {
  const { code, message } = failure;
  return { detail: failure.details.length > 0 ? validationRows(failure) : { error: code, message } };
}

/** The error body of services for models: `detail` as in the text-model gateway, and what standard clients read. */
export function modelServiceBody(failure: Failure): Record<string, unknown> {
  const { status, code } = failure;
  const rows = failure.details.length > 0 ? validationRows(failure) : undefined;
  const [first] = failure.details;
  const message =
    first === undefined ? failure.message : `${first.path.slice(1).join('.')}: ${first.message}`;
  const malformed = [{ type: 'json_invalid', loc: ['body'], msg: failure.message, input: null }];
  const detail = status === 422 ? (rows ?? malformed) : status === 401 ? { error: code, message } : message;
  const type = status < 500 ? 'invalid_request_error' : 'api_error';
  const param = first?.path.slice(1).join('.') ?? null;
  return { detail, message, error: { message, type, code, param } };
}
