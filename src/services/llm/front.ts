import type { IncomingMessage, ServerResponse } from 'node:http';
import { correlationOf } from '../../foundation/correlation.ts';
import { Failure } from '../../foundation/errors.ts';
import { createTokenBuckets, type Grant } from '../../foundation/limits.ts';
import type { Logger } from '../../foundation/log.ts';
import type { RequestObserver } from '../../foundation/metrics.ts';
import type { Operation } from './backends/backend.ts';
import { INTERNAL } from './caller-tokens.ts';
import { type AnswerObserver, ClientAnswer } from './client-answer.ts';
import { errors, llm } from './contract.ts';
import { retryHeaders } from './error-body.ts';
import type { Gateway } from './gateway.ts';
import type { Gauges } from './gauges.ts';
import type { PolicySource } from './policy.ts';
import { UploadRoom } from './upload-room.ts';

const OPERATIONS: ReadonlyMap<string | undefined, Operation> = new Map([
  [llm.operations.chat.path, 'chat'],
  [llm.operations.complete.path, 'complete'],
]);

/** The operation of a request target, with or without a query. */
function operationOf(target: string | undefined): Operation | undefined {
  return OPERATIONS.get(target) ?? OPERATIONS.get(target?.split('?', 1)[0]);
}

/** So many of the largest bodies may be on their way at once. */
const LARGEST_UPLOADS = 16;
/** When there is no room for a body, its caller is told to come back after this many milliseconds. */
const NO_ROOM_RETRY_MS = 1000;

/** What the front needs. */
export interface FrontParts {
  readonly gateway: Gateway;
  readonly policy: PolicySource;
  readonly gauges: Gauges;
  readonly callerOf: (authorization: string | undefined) => string | undefined;
  readonly largestBodyBytes: number;
  /** Counts the requests that are answered here. */
  readonly record: RequestObserver;
  readonly log: Logger;
}

/** The way in: who calls, how often, and with what body. Completions take it on bare HTTP, the other operations through their routes. */
export class Front {
  private readonly parts: FrontParts;
  private readonly room: UploadRoom;
  private readonly observers: Readonly<Record<Operation, AnswerObserver>>;
  private buckets: (key: string) => Grant;

  constructor(parts: FrontParts) {
    this.parts = parts;
    this.room = new UploadRoom(parts.largestBodyBytes * LARGEST_UPLOADS);
    const make = () => {
      const { perSecond, burst } = parts.policy.current.rate;
      return createTokenBuckets(perSecond, burst);
    };
    this.buckets = make();
    const observe = (operation: Operation): AnswerObserver => {
      return (status, seconds) => parts.record(operation, status, seconds);
    };
    this.observers = { chat: observe('chat'), complete: observe('complete') };
    let { rate } = parts.policy.current;
    parts.policy.onChange((policy) => {
      // Full buckets for everybody would be a gift: they are made anew only when the limits did change.
      const changed = policy.rate.perSecond !== rate.perSecond || policy.rate.burst !== rate.burst;
      rate = policy.rate;
      if (changed) this.buckets = make();
    });
  }

  /** The caller of an Authorization header; throws a 401. */
  authenticate(authorization: string | undefined): string {
    const caller = this.parts.callerOf(authorization);
    if (caller !== undefined) return caller;
    this.parts.gauges.rejected('authentication');
    const message =
      authorization === undefined ? 'A bearer token is required.' : 'The bearer token is not valid.';
    throw errors.authentication_required({ message });
  }

  /** Takes one request out of the caller's bucket; throws a 429. Our own services have none: undefined. */
  spend(caller: string): Grant | undefined {
    if (caller === INTERNAL) return undefined;
    const grant = this.buckets(caller);
    if (grant.allowed) return grant;
    this.parts.gauges.rejected('rate');
    throw errors.rate_limited({ headers: retryHeaders(grant.retryAfterMs) });
  }

  /** Answers a completion request straight from the server; false when the request is another. */
  accept(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'POST') return false;
    const operation = operationOf(request.url);
    if (operation === undefined) return false;
    const answer = new ClientAnswer(
      response,
      correlationOf(request.headers['x-request-id'], 'any'),
      this.observers[operation],
    );
    this.guard(answer, () => {
      const caller = this.authenticate(request.headers.authorization);
      showLimit(answer, this.spend(caller));
      const cacheable = wantsCache(request.headers['cache-control']);
      this.readBody(request, answer, (body) =>
        this.guard(answer, () => this.parts.gateway.take(operation, body, caller, answer, cacheable)),
      );
    });
    return true;
  }

  /** Takes a completion request whose body was read elsewhere; `control` is its Cache-Control. */
  begin(
    operation: Operation,
    body: Buffer,
    caller: string,
    control: string | undefined,
    answer: ClientAnswer,
  ): void {
    this.guard(answer, () => {
      showLimit(answer, this.spend(caller));
      this.parts.gateway.take(operation, body, caller, answer, wantsCache(control));
    });
  }

  /** Tells the caller what was thrown; what is no failure of the table is logged, and ends no process. */
  private guard(answer: ClientAnswer, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Failure)) {
        this.parts.log.error(
          { err: error, request_id: answer.requestId },
          'a completion failed unexpectedly',
        );
      } else if (error.status === 422) this.parts.gauges.rejected('validation');
      answer.fail(error instanceof Failure ? error : errors.internal_error({ cause: error }));
    }
  }

  private readBody(request: IncomingMessage, answer: ClientAnswer, done: (body: Buffer) => void): void {
    const { largestBodyBytes, gauges } = this.parts;
    const hasRoom = this.room.follow(request);
    let single: Buffer | undefined;
    let parts: Buffer[] | undefined;
    let size = 0;
    request.on('data', (part: Buffer) => {
      if (answer.over) return;
      size += part.length;
      if (size > largestBodyBytes) {
        answer.fail(errors.payload_too_large({ headers: { connection: 'close' } }));
        parts = undefined;
        single = undefined;
      } else if (!hasRoom(size)) {
        gauges.rejected('concurrency');
        const headers = { ...retryHeaders(NO_ROOM_RETRY_MS), connection: 'close' };
        answer.fail(
          errors.concurrency_limited({ message: 'Too many large bodies are on their way.', headers }),
        );
        parts = undefined;
        single = undefined;
      } else if (single === undefined) single = part;
      else {
        parts ??= [single];
        parts.push(part);
      }
    });
    request.on('end', () => {
      if (answer.over) return;
      done(parts === undefined ? (single ?? Buffer.alloc(0)) : Buffer.concat(parts, size));
    });
  }
}

/** Whether the caller accepts an answer that was given before. */
function wantsCache(control: string | undefined): boolean {
  return control === undefined || !/no-cache|no-store/i.test(control);
}

function showLimit(answer: ClientAnswer, grant: Grant | undefined): void {
  if (grant === undefined) return;
  const { limit, remaining } = grant;
  answer.headers.push('ratelimit-limit', String(limit), 'ratelimit-remaining', String(remaining));
}
