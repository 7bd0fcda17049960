import type { IncomingMessage, ServerResponse } from 'node:http';
import { INTERNAL } from '../../foundation/bearer-tokens.ts';
import { correlationIdOf } from '../../foundation/correlation.ts';
import { Failure } from '../../foundation/errors.ts';
import {
  createMemoryRateLimiter,
  type MemoryRateLimiter,
  type RateDecision,
} from '../../foundation/limits.ts';
import type { Logger } from '../../foundation/log.ts';
import type { RequestObserver } from '../../foundation/metrics.ts';
import type { CompletionRouter } from './completion-router.ts';
import { type AnswerObserver, ClientAnswer } from './completions/client-answer.ts';
import type { GatewayMetrics } from './completions/metrics.ts';
import { type CompletionOperation, llm } from './contract.ts';
import { errors } from './errors.ts';
import type { PolicySource } from './policy.ts';
import { UploadBudget } from './upload-budget.ts';
import { retryHeaders } from './wire/error-body.ts';

const OPERATIONS: ReadonlyMap<string | undefined, CompletionOperation> = new Map([
  [llm.operations.chat.path, 'chat'],
  [llm.operations.complete.path, 'complete'],
]);

/** The operation of a request target, with or without a query. */
function operationOf(target: string | undefined): CompletionOperation | undefined {
  return OPERATIONS.get(target) ?? OPERATIONS.get(target?.split('?', 1)[0]);
}

/** So many of the largest bodies may be uploaded at once. */
const LARGEST_UPLOADS = 16;
/** When too many large bodies are uploaded, Retry-After is this many milliseconds. */
const UPLOAD_RETRY_MS = 1000;

/** What the endpoint works with. */
export interface CompletionEndpointDependencies {
  readonly router: CompletionRouter;
  readonly policy: PolicySource;
  readonly metrics: GatewayMetrics;
  /** The caller of an Authorization header; undefined when it is refused. */
  readonly callerOf: (authorization: string | undefined) => string | undefined;
  readonly largestBodyBytes: number;
  /** Counts the requests that are answered here. */
  readonly record: RequestObserver;
  readonly log: Logger;
}

/**
 * The HTTP endpoint of completions: authenticates, limits the rate, and reads the body. It takes requests straight from Node's
 * server, since the web framework would cost more than the rest; other operations use it through their routes.
 */
export class CompletionEndpoint {
  private readonly dependencies: CompletionEndpointDependencies;
  private readonly uploads: UploadBudget;
  private readonly observers: Readonly<Record<CompletionOperation, AnswerObserver>>;
  private limiter: MemoryRateLimiter;

  constructor(dependencies: CompletionEndpointDependencies) {
    const { policy, record } = dependencies;
    this.dependencies = dependencies;
    this.uploads = new UploadBudget(dependencies.largestBodyBytes * LARGEST_UPLOADS);
    let { rate } = policy.current;
    this.limiter = createMemoryRateLimiter(rate);
    const observe = (operation: CompletionOperation): AnswerObserver => {
      return (status, seconds) => record(operation, status, seconds);
    };
    this.observers = { chat: observe('chat'), complete: observe('complete') };
    policy.onChange((changed) => {
      // A new limiter is full, so it is made only when the limits did change.
      const same = changed.rate.perSecond === rate.perSecond && changed.rate.burst === rate.burst;
      rate = changed.rate;
      if (!same) this.limiter = createMemoryRateLimiter(rate);
    });
  }

  /** The caller of an Authorization header; throws a 401. */
  authenticate(authorization: string | undefined): string {
    const caller = this.dependencies.callerOf(authorization);
    if (caller !== undefined) return caller;
    this.dependencies.metrics.rejected('authentication');
    const message =
      authorization === undefined ? 'A bearer token is required.' : 'The bearer token is not valid.';
    throw errors.authentication_required({ message });
  }

  /** Takes one token out of the caller's bucket; throws a 429. Our own services have no bucket: undefined. */
  takeToken(caller: string): RateDecision | undefined {
    if (caller === INTERNAL) return undefined;
    const decision = this.limiter.takeNow(caller);
    if (decision.allowed) return decision;
    this.dependencies.metrics.rejected('rate');
    throw errors.rate_limited({ headers: retryHeaders(decision.retryAfterMs) });
  }

  /** Answers a completion request straight from the server; false when the request is another. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'POST') return false;
    const operation = operationOf(request.url);
    if (operation === undefined) return false;
    const answer = new ClientAnswer(
      response,
      correlationIdOf(request.headers['x-request-id'], 'any'),
      this.observers[operation],
    );
    this.guard(answer, () => {
      const caller = this.authenticate(request.headers.authorization);
      showLimit(answer, this.takeToken(caller));
      const cacheable = acceptsCached(request.headers['cache-control']);
      this.readBody(request, answer, (body) =>
        this.guard(answer, () => this.dependencies.router.route(operation, body, caller, answer, cacheable)),
      );
    });
    return true;
  }

  /** Answers a completion request whose body was read elsewhere. */
  handleBody(
    operation: CompletionOperation,
    body: Buffer,
    caller: string,
    cacheControl: string | undefined,
    answer: ClientAnswer,
  ): void {
    this.guard(answer, () => {
      showLimit(answer, this.takeToken(caller));
      this.dependencies.router.route(operation, body, caller, answer, acceptsCached(cacheControl));
    });
  }

  /** Answers with the failure that was thrown; anything else that is thrown is logged and answered as an internal error. */
  private guard(answer: ClientAnswer, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Failure)) {
        this.dependencies.log.error(
          { err: error, request_id: answer.requestId },
          'a completion failed unexpectedly',
        );
      } else if (error.status === 422) this.dependencies.metrics.rejected('validation');
      answer.fail(error instanceof Failure ? error : errors.internal_error({ cause: error }));
    }
  }

  private readBody(request: IncomingMessage, answer: ClientAnswer, done: (body: Buffer) => void): void {
    const { largestBodyBytes, metrics } = this.dependencies;
    const reserve = this.uploads.follow(request);
    // Most bodies come in one part: they are neither listed nor copied.
    let single: Buffer | undefined;
    let parts: Buffer[] | undefined;
    let size = 0;
    const refuse = (failure: Failure) => {
      answer.fail(failure);
      parts = undefined;
      single = undefined;
    };
    request.on('data', (part: Buffer) => {
      if (answer.over) return;
      size += part.length;
      if (size > largestBodyBytes) refuse(errors.payload_too_large({ headers: { connection: 'close' } }));
      else if (!reserve(size)) {
        metrics.rejected('concurrency');
        const headers = { ...retryHeaders(UPLOAD_RETRY_MS), connection: 'close' };
        refuse(
          errors.concurrency_limited({
            message: 'Too many large bodies are uploaded at the same time.',
            headers,
          }),
        );
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
function acceptsCached(cacheControl: string | undefined): boolean {
  return cacheControl === undefined || !/no-cache|no-store/i.test(cacheControl);
}

function showLimit(answer: ClientAnswer, decision: RateDecision | undefined): void {
  if (decision === undefined) return;
  const { limit, remaining } = decision;
  answer.headers.push('ratelimit-limit', String(limit), 'ratelimit-remaining', String(remaining));
}
