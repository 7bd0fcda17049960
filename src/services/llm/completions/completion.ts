import type { Permit } from '../../../foundation/breaker.ts';
import type { Transfer } from '../backends/backend.ts';
import { errors } from '../errors.ts';
import type { CompletionOutcome } from '../usage/usage-entry.ts';
import type { CompletionRequest } from '../wire/completion-request.ts';
import type { EventScanner } from '../wire/event-scanner.ts';
import { changesFor, editRequest, nameBackend } from '../wire/request-edits.ts';
import { type TokenUsage, usageIn } from '../wire/token-usage.ts';
import { type AttemptListener, BackendAttempt } from './attempt.ts';
import {
  type BackendProblem,
  openCircuitProblem,
  problemOfConnection,
  problemOfContent,
  silenceProblem,
} from './backend-problem.ts';
import type { ClientAnswer, DisconnectListener } from './client-answer.ts';
import { CompletionClock, type CompletionRules } from './completion-clock.ts';
import type {
  AnswerRecorder,
  BackendEntry,
  CompletionDependencies,
  RunningCompletion,
  Target,
} from './completion-dependencies.ts';
import { recordUsage } from './completion-usage.ts';

/** Comments before the first event that are kept for the caller; older ones are forgotten. */
const LARGEST_PRELUDE_BYTES = 16 * 1024;

/**
 * One completion: asks its targets in turn, retries where that may help, passes the answer on, and records its usage.
 * Until the first event was sent, another try can hide a failure from the caller; after it the failure is an event.
 */
export class Completion implements AttemptListener, DisconnectListener, RunningCompletion {
  deadline = 0;
  slot = 0;
  private readonly dependencies: CompletionDependencies;
  private readonly request: CompletionRequest;
  private readonly answer: ClientAnswer;
  private readonly targets: readonly Target[];
  /** Those of its beginning: a change while it runs does not touch it. */
  private readonly rules: CompletionRules;
  private readonly clock: CompletionClock;
  private position = -1;
  private tries = 0;
  private permit: Permit = 'normal';
  private transfer: Transfer | undefined;
  private attempt: BackendAttempt | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private lastProblem: BackendProblem | undefined;
  /** Comments that came before the first event. */
  private prelude: Buffer | undefined;
  private over = false;
  private scanner: EventScanner | undefined;
  private recorder: AnswerRecorder | undefined;

  /** The place that was acquired from the limiter is released in the turn in which the completion ends, however it ends. */
  constructor(
    dependencies: CompletionDependencies,
    request: CompletionRequest,
    targets: readonly Target[],
    answer: ClientAnswer,
  ) {
    this.dependencies = dependencies;
    this.request = request;
    this.targets = targets;
    this.answer = answer;
    this.rules = dependencies.rules;
    this.clock = new CompletionClock(this.rules, request.fields.stream, performance.now());
    answer.disconnectListener = this;
  }

  /** Starts; the recorder gets what is answered. */
  start(recorder?: AnswerRecorder): void {
    this.recorder = recorder;
    this.dependencies.running.add(this);
    this.next();
  }

  stop(): void {
    if (this.over) return;
    this.entry()?.breaker.dropped(this.permit);
    this.finish('error', undefined, undefined);
    this.answer.fail(errors.shutting_down());
  }

  alive(): void {
    this.clock.lastSignAt = performance.now();
    this.deadline = this.clock.nextCheck();
  }

  forward(bytes: Buffer, scanner: EventScanner): void {
    const { clock } = this;
    this.scanner = scanner;
    clock.done = scanner.done;
    const now = performance.now();
    if (clock.firstEventAt === 0) {
      const hasEvent = scanner.events > 0 || scanner.done;
      if (!hasEvent && !this.answer.opened) {
        this.keepPrelude(bytes);
        this.alive();
        return;
      }
      if (hasEvent) this.commit(now);
    } else this.entry()?.metrics.gap.observe((now - clock.lastSignAt) / 1000);
    clock.lastSignAt = now;
    this.deadline = clock.nextCheck();
    this.send(bytes, now);
  }

  completed(body: Buffer): void {
    const entry = this.entry();
    if (entry === undefined) return;
    let answer: Buffer;
    try {
      answer = nameBackend(body, entry.backend.name);
    } catch {
      this.failed(problemOfContent(entry.backend.name, 'answered something else than JSON'));
      return;
    }
    entry.breaker.succeeded(this.permit);
    this.recorder?.record(answer);
    this.finish('ok', usageIn(body), undefined);
    this.answer.plain(200, answer);
  }

  streamed(scanner: EventScanner): void {
    const breaker = this.entry()?.breaker;
    if (scanner.failed) breaker?.failed(this.permit);
    else breaker?.succeeded(this.permit);
    const missingEnd = !scanner.done && !scanner.failed;
    this.finish(scanner.failed ? 'error' : 'ok', scanner.usage, scanner);
    this.answer.end({ addDone: missingEnd });
  }

  failed(problem: BackendProblem): void {
    if (this.over) return;
    this.transfer?.abort();
    this.transfer = undefined;
    this.lastProblem = problem;
    if (this.clock.firstEventAt > 0) {
      this.settleBreaker(problem);
      this.fail(problem);
    } else if (!this.retry(problem)) {
      this.settleBreaker(problem);
      if (!problem.fallback || this.position + 1 >= this.targets.length) this.fail(problem);
      else {
        this.entry()?.metrics.fallbacks.inc();
        this.next();
      }
    }
  }

  expired(): void {
    if (this.over) return;
    const now = performance.now();
    const due = this.clock.due(now);
    if (due === 'total' || due === 'silence') {
      this.giveUp(due);
      return;
    }
    if (due === 'keep_alive') this.keepAlive(now);
    this.deadline = this.clock.nextCheck();
  }

  clientLeft(): void {
    if (this.over) return;
    this.attempt?.drop();
    this.transfer?.abort();
    this.entry()?.breaker.dropped(this.permit);
    this.finish('aborted', this.scanner?.usage, this.scanner);
  }

  /** The backend that is asked now. */
  private entry(): BackendEntry | undefined {
    return this.targets[this.position]?.entry;
  }

  /** Goes on to the next target whose circuit breaker admits it. */
  private next(): void {
    for (;;) {
      this.position++;
      const target = this.targets[this.position];
      if (target === undefined) {
        if (this.lastProblem !== undefined) this.fail(this.lastProblem);
        return;
      }
      const { breaker, backend } = target.entry;
      const permit = breaker.admit();
      if (permit !== undefined) {
        this.permit = permit;
        this.tries = 0;
        this.ask(target);
        return;
      }
      this.lastProblem ??= openCircuitProblem(backend.name, breaker.waitMs());
    }
  }

  private ask({ entry: { backend }, model }: Target): void {
    const { operation, body, parsed, fields } = this.request;
    const { disableThinking, askUsage, largestAnswerBytes: largestBytes } = this.rules;
    const changes = changesFor(backend.name, operation, fields, { model, disableThinking, askUsage });
    const { stream } = fields;
    const attempt = new BackendAttempt(
      { backend: backend.name, operation, stream, hideUsage: changes.askUsage, largestBytes },
      this,
    );
    this.attempt = attempt;
    this.prelude = undefined;
    this.answer.fallbacks = this.position;
    this.tries++;
    this.alive();
    const { requestId } = this.answer;
    try {
      const edited = editRequest(body, parsed, fields, changes);
      this.transfer = backend.send({ operation, body: edited, stream, requestId }, attempt);
    } catch (error) {
      // Such as a key that no header can carry: handled like any other failure of the backend.
      attempt.drop();
      this.failed(problemOfConnection(backend.name, error));
    }
  }

  /** Asks the same target again after a random delay, where that may help and there is time. */
  private retry(problem: BackendProblem): boolean {
    const { retries, retryDelayMs } = this.rules;
    const target = this.targets[this.position];
    if (!problem.retryable || target === undefined || this.tries > retries) return false;
    const jittered = Math.random() * retryDelayMs * 2 ** (this.tries - 1);
    const delay = Math.max(jittered, problem.retryAfterMs ?? 0);
    if (!this.clock.allowsRetry(performance.now(), delay)) return false;
    target.entry.metrics.retries.inc();
    this.clock.backingOff = true;
    this.retryTimer = setTimeout(() => {
      this.clock.backingOff = false;
      this.ask(target);
    }, delay);
    return true;
  }

  /** Comments alone commit nothing: they wait for the first event, at most until the keep-alive opens the stream. */
  private keepPrelude(bytes: Buffer): void {
    const { prelude } = this;
    const isFirst = prelude === undefined || prelude.length > LARGEST_PRELUDE_BYTES;
    this.prelude = isFirst ? bytes : Buffer.concat([prelude, bytes]);
  }

  /** The first event came: from now on the caller gets the answer of this backend and no other. */
  private commit(now: number): void {
    this.clock.firstEventAt = now;
    const entry = this.entry();
    entry?.metrics.firstEvent.observe((now - this.clock.startedAt) / 1000);
    if (this.permit === 'trial') {
      // The first event has shown that the backend works: others need not wait for the end of a long stream.
      entry?.breaker.succeeded('trial');
      this.permit = 'normal';
    }
    this.answer.open();
    if (this.prelude !== undefined) this.send(this.prelude, now);
    this.prelude = undefined;
  }

  private send(bytes: Buffer, now: number): void {
    const { clock } = this;
    clock.lastSentAt = now;
    this.recorder?.record(bytes);
    if (this.answer.write(bytes) || clock.paused) return;
    clock.paused = true;
    this.transfer?.pause();
    this.answer.onceDrained(() => {
      clock.paused = false;
      this.alive();
      this.transfer?.resume();
    });
  }

  private keepAlive(now: number): void {
    this.clock.lastSentAt = now;
    if (this.clock.paused) return;
    this.answer.keepAlive();
    if (this.prelude !== undefined) this.answer.write(this.prelude);
    this.prelude = undefined;
  }

  private giveUp(due: 'total' | 'silence'): void {
    const backend = this.entry()?.backend.name;
    if (backend === undefined) return;
    this.attempt?.drop();
    if (this.scanner?.done || this.scanner?.finished) {
      // Nothing is missing but the end of the connection.
      this.transfer?.abort();
      this.streamed(this.scanner);
      return;
    }
    const problem = silenceProblem(backend);
    this.failed(due === 'total' ? { ...problem, fallback: false } : problem);
  }

  private settleBreaker({ verdict }: BackendProblem): void {
    const breaker = this.entry()?.breaker;
    if (verdict === 'failed') breaker?.failed(this.permit);
    else if (verdict === 'worked') breaker?.succeeded(this.permit);
    else breaker?.dropped(this.permit);
  }

  private fail({ failure }: BackendProblem): void {
    this.finish('error', this.scanner?.usage, this.scanner);
    this.answer.fail(failure);
  }

  private finish(
    outcome: CompletionOutcome,
    usage: TokenUsage | undefined,
    scanner: EventScanner | undefined,
  ): void {
    const { startedAt, firstEventAt } = this.clock;
    this.over = true;
    clearTimeout(this.retryTimer);
    this.dependencies.running.remove(this);
    this.attempt?.drop();
    if (outcome !== 'ok') this.transfer?.abort();
    this.dependencies.limiter.release();
    // A stream without its own [DONE] is not used again: the one that is supplied belongs to this caller's answer.
    const isComplete = outcome === 'ok' && (scanner === undefined || scanner.done);
    const target = this.targets[Math.min(this.position, this.targets.length - 1)];
    const source = target && { backend: target.entry.backend.name, model: target.model };
    this.recorder?.finish(isComplete ? source : undefined);
    if (target === undefined) return;
    recordUsage(this.dependencies, this.request, target, {
      outcome,
      usage,
      events: scanner?.events ?? 0,
      durationMs: performance.now() - startedAt,
      firstEventMs: firstEventAt > 0 ? firstEventAt - startedAt : null,
    });
  }
}
