import type { ModelRegistry } from './backends/model-registry.ts';
import { mostSpecific } from './backends/model-table.ts';
import type { AnswerCache, CachedAnswer, PendingAnswer } from './completions/answer-cache.ts';
import type { ClientAnswer } from './completions/client-answer.ts';
import { Completion } from './completions/completion.ts';
import type { BackendEntry, CompletionDependencies, Target } from './completions/completion-dependencies.ts';
import type { GatewayMetrics } from './completions/metrics.ts';
import type { BackendName, CompletionOperation } from './contract.ts';
import { errors } from './errors.ts';
import type { PolicySource } from './policy.ts';
import {
  type CompletionRequest,
  type NamedFields,
  parseCompletionRequest,
} from './wire/completion-request.ts';
import { retryHeaders } from './wire/error-body.ts';
import type { TokenUsage } from './wire/token-usage.ts';

/** When all places are taken, Retry-After is this many milliseconds. */
const BUSY_RETRY_MS = 1000;
/** How often a shutdown looks whether completions still run, in milliseconds. */
const DRAIN_POLL_MS = 20;

const NO_TOKENS: TokenUsage = { promptTokens: 0, completionTokens: 0, cost: 0 };

/** What the router works with. */
export interface CompletionRouterDependencies {
  readonly backends: ReadonlyMap<BackendName, BackendEntry>;
  readonly registry: ModelRegistry;
  readonly policy: PolicySource;
  readonly metrics: GatewayMetrics;
  readonly completion: CompletionDependencies;
  readonly defaultBackend: BackendName;
  readonly defaultModel: string | undefined;
  /** Undefined when answers are not cached. */
  readonly cache: AnswerCache | undefined;
}

/** Routes completion requests: checks them, finds their backend, waits for a place, and starts them. */
export class CompletionRouter {
  private readonly dependencies: CompletionRouterDependencies;
  private draining = false;

  constructor(dependencies: CompletionRouterDependencies) {
    this.dependencies = dependencies;
  }

  /**
   * Routes a request whose caller is known and within its rate; throws a failure when the request is wrong. `cacheable` is false
   * when the caller wants no cached answer.
   */
  route(
    operation: CompletionOperation,
    body: Buffer,
    caller: string,
    answer: ClientAnswer,
    cacheable = true,
  ): void {
    if (this.draining) {
      this.dependencies.metrics.rejected('draining');
      throw errors.shutting_down({ headers: { connection: 'close' } });
    }
    const request = parseCompletionRequest(operation, body, caller);
    const listsRead = this.dependencies.registry.ready();
    if (listsRead === undefined) this.answerOrAdmit(request, answer, cacheable);
    else void listsRead.then(() => answer.over || this.answerOrAdmit(request, answer, cacheable));
  }

  /** Refuses new requests from now on, and ends what still runs after `milliseconds`. */
  async drain(milliseconds: number): Promise<void> {
    this.draining = true;
    const end = performance.now() + milliseconds;
    const { running } = this.dependencies.completion;
    while (running.size > 0 && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
    }
    for (const completion of running.all()) completion.stop();
  }

  /** Answers from the cache, or waits for an identical request under way, or goes on. */
  private answerOrAdmit(request: CompletionRequest, answer: ClientAnswer, cacheable: boolean): void {
    const { cache, metrics } = this.dependencies;
    if (cache === undefined || !cacheable) {
      this.admit(request, answer, undefined);
      return;
    }
    const { caller, operation, fields, body } = request;
    const lookup = cache.lookUp(caller, operation, fields.stream, body);
    if (lookup.kind === 'hit') {
      metrics.cache('hit');
      this.replay(request, lookup.answer, answer);
    } else if (lookup.kind === 'miss') {
      metrics.cache('miss');
      this.admit(request, answer, lookup.pending);
    } else {
      metrics.cache('shared');
      const leave = lookup.pending.onSettled((shared) => {
        answer.disconnectListener = undefined;
        // The request that was waited for failed or was given up: this one runs by itself.
        if (shared === undefined) this.admit(request, answer, undefined);
        else this.replay(request, shared, answer);
      });
      answer.disconnectListener = { clientLeft: leave };
    }
  }

  /** Answers from the cache. No token is spent, and the ledger shows it. */
  private replay({ caller, operation }: CompletionRequest, cached: CachedAnswer, answer: ClientAnswer): void {
    sendCached(cached, answer);
    this.dependencies.completion.ledger?.record({
      ...cached.source,
      caller,
      operation,
      outcome: 'ok',
      source: 'cached',
      tokens: NO_TOKENS,
      cost: 0,
      durationMs: 0,
      firstEventMs: null,
    });
  }

  private admit(request: CompletionRequest, answer: ClientAnswer, pending: PendingAnswer | undefined): void {
    const { limiter } = this.dependencies.completion;
    if (limiter.tryAcquire()) {
      this.run(request, answer, pending);
      return;
    }
    const refuse = () => {
      answer.disconnectListener = undefined;
      pending?.finish(undefined);
      this.dependencies.metrics.rejected('concurrency');
      answer.fail(errors.concurrency_limited({ headers: retryHeaders(BUSY_RETRY_MS) }));
    };
    const leave = limiter.enqueue(() => this.run(request, answer, pending), refuse);
    if (leave === undefined) refuse();
    else {
      const clientLeft = () => {
        leave();
        pending?.finish(undefined);
      };
      answer.disconnectListener = { clientLeft };
    }
  }

  private run(request: CompletionRequest, answer: ClientAnswer, pending: PendingAnswer | undefined): void {
    const { completion } = this.dependencies;
    const targets = this.targets(request);
    const [first] = targets;
    const message = first === undefined ? notConfigured(request.fields) : first.entry.backend.unavailable;
    if (message !== undefined) {
      completion.limiter.release();
      pending?.finish(undefined);
      answer.fail(errors.backend_unavailable({ message }));
      return;
    }
    new Completion(completion, request, targets, answer).start(pending);
  }

  /** The backend of a request and, behind it, those of its fallback chain. */
  private targets({ fields, operation }: CompletionRequest): Target[] {
    const { backends, policy, registry, defaultModel } = this.dependencies;
    const name = this.backendOf(fields);
    const model = fields.model ?? defaultModel ?? registry.firstOf(name) ?? '';
    const entry = backends.get(name);
    if (entry === undefined) return [];
    const targets: Target[] = [{ entry, model }];
    for (const fallback of mostSpecific(policy.current.fallbacks, name, model) ?? []) {
      const other = backends.get(fallback.backend);
      if (other?.backend.operations.has(operation) && other.backend.unavailable === undefined)
        targets.push({ entry: other, model: fallback.model ?? model });
    }
    return targets;
  }

  private backendOf({ backend, model }: NamedFields): BackendName {
    if (backend !== undefined) return backend;
    const { registry, defaultBackend } = this.dependencies;
    if (model === undefined) return defaultBackend;
    return registry.find(model, defaultBackend) ?? defaultBackend;
  }
}

/** Sends a cached answer in the form in which it was made. */
function sendCached({ stream, bytes }: CachedAnswer, answer: ClientAnswer): void {
  answer.headers.push('x-limpede-cache', 'hit');
  if (!stream) {
    answer.plain(200, bytes);
    return;
  }
  answer.open();
  answer.write(bytes);
  answer.end({ addDone: false });
}

function notConfigured({ backend }: NamedFields): string {
  return backend === undefined
    ? 'The default backend is not configured.'
    : `The ${backend} backend is not configured.`;
}
