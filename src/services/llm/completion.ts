import type { Permit } from '../../foundation/breaker.ts';
import { knownTokens } from './accounts/usage-entry.ts';
import type { Admission } from './admission.ts';
import { Attempt, type AttemptOwner } from './attempt.ts';
import {
  type BackendProblem,
  problemOfCircuit,
  problemOfConnection,
  problemOfContent,
  problemOfSilence,
} from './backend-problem.ts';
import type { Transfer } from './backends/backend.ts';
import type { ClientAnswer, Departure } from './client-answer.ts';
import type {
  AnswerKeeper,
  BackendPlace,
  CompletionRequest,
  CompletionWorld,
  Running,
  Target,
} from './completion-world.ts';
import { errors } from './contract.ts';
import type { EventScanner } from './event-scanner.ts';
import type { Outcome } from './gauges.ts';
import { changesFor, editRequest, nameBackend } from './request-edits.ts';
import { type TokenUsage, usageIn } from './token-usage.ts';

/** Comments before the first event that are kept for the caller; older ones are forgotten. */
const LARGEST_PRELUDE_BYTES = 16 * 1024;
/** How long a backend may keep the connection open after [DONE], in milliseconds; the end mostly comes with it. */
const AFTER_DONE_MS = 500;

/**
 * One completion: asks its targets in turn, retries where that may help, passes the answer on, and settles the account.
 * Until the first event was sent a failure is mended in silence; from then on it is told.
 */
export class Completion implements AttemptOwner, Departure, Running {
  deadline = 0;
  slot = 0;
  private readonly world: CompletionWorld;
  private readonly request: CompletionRequest;
  private readonly answer: ClientAnswer;
  private readonly targets: readonly Target[];
  private readonly admission: Admission;
  private readonly startedAt = performance.now();
  private position = -1;
  private tries = 0;
  private pass: Permit = 'normal';
  private transfer: Transfer | undefined;
  private attempt: Attempt | undefined;
  private backoff: NodeJS.Timeout | undefined;
  private lastProblem: BackendProblem | undefined;
  /** Comments that came before the first event. */
  private prelude: Buffer | undefined;
  private firstEventAt = 0;
  private lastSignAt = 0;
  private lastSentAt = 0;
  private paused = false;
  private over = false;
  private scanner: EventScanner | undefined;
  private keeper: AnswerKeeper | undefined;

  /** The place that was taken in `admission` is given back in the turn in which the completion ends for whatever reason. */
  constructor(
    world: CompletionWorld,
    request: CompletionRequest,
    targets: readonly Target[],
    answer: ClientAnswer,
    admission: Admission,
  ) {
    this.world = world;
    this.request = request;
    this.targets = targets;
    this.answer = answer;
    this.admission = admission;
    answer.worker = this;
  }

  /** Starts; the keeper hears what is answered. */
  start(keeper?: AnswerKeeper): void {
    this.keeper = keeper;
    this.lastSentAt = this.startedAt;
    this.world.running.add(this);
    this.next();
  }

  /** Ends the completion with a failure, as at a shutdown. */
  stop(): void {
    if (this.over) return;
    this.place()?.breaker.dropped(this.pass);
    this.finish('error', undefined, undefined);
    this.answer.fail(errors.shutting_down());
  }

  alive(): void {
    this.lastSignAt = performance.now();
    this.setDeadline(this.lastSignAt);
  }

  forward(bytes: Buffer, scanner: EventScanner): void {
    this.scanner = scanner;
    const now = performance.now();
    if (this.firstEventAt === 0) {
      if (scanner.events === 0 && !scanner.done && !this.answer.opened) {
        // Comments alone commit nothing: they wait for the first event, at most until the keep-alive opens the stream.
        const { prelude } = this;
        const first = prelude === undefined || prelude.length > LARGEST_PRELUDE_BYTES;
        this.prelude = first ? bytes : Buffer.concat([prelude, bytes]);
        this.alive();
        return;
      }
      if (scanner.events > 0 || scanner.done) this.begin(now);
    } else this.place()?.gauges.gap.observe((now - this.lastSignAt) / 1000);
    this.lastSignAt = now;
    this.setDeadline(now);
    this.send(bytes, now);
  }

  completed(body: Buffer): void {
    const place = this.place();
    if (place === undefined) return;
    let named: Buffer;
    try {
      named = nameBackend(body, place.backend.name);
    } catch {
      this.failed(problemOfContent(place.backend.name, 'answered something else than JSON'));
      return;
    }
    place.breaker.succeeded(this.pass);
    this.keeper?.keep(named);
    this.finish('ok', usageIn(body), undefined);
    this.answer.plain(200, named);
  }

  streamed(scanner: EventScanner): void {
    const place = this.place();
    if (scanner.failed) place?.breaker.failed(this.pass);
    else place?.breaker.succeeded(this.pass);
    const missingEnd = !scanner.done && !scanner.failed;
    this.finish(scanner.failed ? 'error' : 'ok', scanner.usage, scanner);
    this.answer.end(missingEnd);
  }

  failed(problem: BackendProblem): void {
    if (this.over) return;
    this.transfer?.abort();
    this.transfer = undefined;
    this.lastProblem = problem;
    if (this.firstEventAt > 0) {
      this.settleBreaker(problem);
      this.fail(problem);
    } else if (!this.retry(problem)) {
      this.settleBreaker(problem);
      if (!problem.handOn || this.position + 1 >= this.targets.length) this.fail(problem);
      else {
        this.place()?.gauges.fallbacks.inc();
        this.next();
      }
    }
  }

  expired(): void {
    if (this.over) return;
    const now = performance.now();
    const { keepAliveMs, totalMs } = this.world.rules;
    const silent = this.lastSignAt > 0 && now >= this.lastSignAt + this.silenceLimit();
    const late = now >= this.startedAt + totalMs;
    if (this.backoff === undefined && (silent || late)) {
      this.giveUpSilence(late);
      return;
    }
    if (this.request.fields.stream && keepAliveMs > 0 && now >= this.lastSentAt + keepAliveMs)
      this.keepOpen(now);
    this.setDeadline(Math.max(this.lastSignAt, this.startedAt));
  }

  private place(): BackendPlace | undefined {
    return this.targets[this.position]?.place;
  }

  /** Goes on to the next target whose circuit lets it through. */
  private next(): void {
    for (;;) {
      this.position++;
      const target = this.targets[this.position];
      if (target === undefined) {
        if (this.lastProblem !== undefined) this.fail(this.lastProblem);
        return;
      }
      const { breaker, backend } = target.place;
      const pass = breaker.admit();
      if (pass !== undefined) {
        this.pass = pass;
        this.tries = 0;
        this.ask(target);
        return;
      }
      this.lastProblem ??= problemOfCircuit(backend.name, breaker.waitMs());
    }
  }

  private ask({ place, model }: Target): void {
    const { operation, body, parsed, fields } = this.request;
    const { backend } = place;
    const { rules } = this.world;
    const changes = changesFor(backend.name, operation, fields, {
      model,
      disableThinking: rules.disableThinking,
      askUsage: rules.askUsage,
    });
    const { stream } = fields;
    const { largestAnswerBytes: largestBytes } = rules;
    const attempt = new Attempt(
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
      // Such as a key that no header can carry: told like any other failure of the backend.
      attempt.drop();
      this.failed(problemOfConnection(backend.name, error));
    }
  }

  /** Asks the same target again after a random delay, where that may help and there is time. */
  private retry(problem: BackendProblem): boolean {
    const { retries, retryDelayMs, retryDeadlineMs, totalMs } = this.world.rules;
    const target = this.targets[this.position];
    if (!problem.repeat || target === undefined || this.tries > retries) return false;
    const jittered = Math.random() * retryDelayMs * 2 ** (this.tries - 1);
    const delay = Math.max(jittered, problem.retryAfterMs ?? 0);
    const elapsed = performance.now() - this.startedAt;
    if (elapsed + delay > Math.min(retryDeadlineMs, totalMs)) return false;
    target.place.gauges.retries.inc();
    this.backoff = setTimeout(() => {
      this.backoff = undefined;
      this.ask(target);
    }, delay);
    return true;
  }

  /** The first event is here: the caller is committed to this backend. */
  private begin(now: number): void {
    this.firstEventAt = now;
    this.place()?.gauges.firstEvent.observe((now - this.startedAt) / 1000);
    if (this.pass === 'trial') {
      // A long stream should not keep others waiting for what its first event has shown.
      this.place()?.breaker.succeeded('trial');
      this.pass = 'normal';
    }
    this.answer.open();
    if (this.prelude !== undefined) this.send(this.prelude, now);
    this.prelude = undefined;
  }

  private send(bytes: Buffer, now: number): void {
    this.lastSentAt = now;
    this.keeper?.keep(bytes);
    if (this.answer.write(bytes) || this.paused) return;
    this.paused = true;
    this.transfer?.pause();
    this.answer.onceDrained(() => {
      this.paused = false;
      this.alive();
      this.transfer?.resume();
    });
  }

  private keepOpen(now: number): void {
    this.lastSentAt = now;
    if (this.paused) return;
    this.answer.keepAlive();
    if (this.prelude !== undefined) this.answer.write(this.prelude);
    this.prelude = undefined;
  }

  private giveUpSilence(late: boolean): void {
    const backend = this.place()?.backend.name;
    if (backend === undefined) return;
    this.attempt?.drop();
    if (this.scanner?.done || this.scanner?.finished) {
      // Nothing is missing but the end of the connection.
      this.transfer?.abort();
      this.streamed(this.scanner);
      return;
    }
    const problem = problemOfSilence(backend);
    this.failed(late ? { ...problem, handOn: false } : problem);
  }

  /** How long the backend may stay silent now. A caller that reads slowly is no silence of the backend. */
  private silenceLimit(): number {
    const { firstEventMs, eventMs, answerMs, totalMs } = this.world.rules;
    if (this.paused) return totalMs;
    if (!this.request.fields.stream) return answerMs;
    if (this.scanner?.done) return Math.min(eventMs, AFTER_DONE_MS);
    return this.firstEventAt > 0 ? eventMs : firstEventMs;
  }

  private setDeadline(sign: number): void {
    const { totalMs, keepAliveMs } = this.world.rules;
    const end = Math.min(sign + this.silenceLimit(), this.startedAt + totalMs);
    const stream = this.request.fields.stream && keepAliveMs > 0;
    this.deadline = stream ? Math.min(end, this.lastSentAt + keepAliveMs) : end;
  }

  private settleBreaker({ verdict }: BackendProblem): void {
    const breaker = this.place()?.breaker;
    if (verdict === 'failed') breaker?.failed(this.pass);
    else if (verdict === 'worked') breaker?.succeeded(this.pass);
    else breaker?.dropped(this.pass);
  }

  private fail({ failure }: BackendProblem): void {
    this.finish('error', this.scanner?.usage, this.scanner);
    this.answer.fail(failure);
  }

  /** The caller left: stops everything in the same turn, and holds nothing against the backend. */
  left(): void {
    if (this.over) return;
    this.attempt?.drop();
    this.transfer?.abort();
    this.place()?.breaker.dropped(this.pass);
    this.finish('aborted', this.scanner?.usage, this.scanner);
  }

  private finish(outcome: Outcome, usage: TokenUsage | undefined, scanner: EventScanner | undefined): void {
    this.over = true;
    clearTimeout(this.backoff);
    this.world.running.remove(this);
    this.attempt?.drop();
    if (outcome !== 'ok') this.transfer?.abort();
    this.admission.leave();
    // Without its own end a stream is not repeated: the end that is supplied belongs to this caller's answer.
    const complete = outcome === 'ok' && (scanner === undefined || scanner.done);
    const target = this.targets[Math.min(this.position, this.targets.length - 1)];
    this.keeper?.finish(
      complete && target ? { backend: target.place.backend.name, model: target.model } : undefined,
    );
    if (target !== undefined) this.account(target, outcome, usage, scanner);
  }

  private account(
    { place, model }: Target,
    outcome: Outcome,
    usage: TokenUsage | undefined,
    scanner: EventScanner | undefined,
  ): void {
    const { backend, gauges } = place;
    const durationMs = performance.now() - this.startedAt;
    gauges.outcomes[outcome].inc();
    gauges.duration.observe(durationMs / 1000);
    const { source, tokens } = knownTokens(usage, scanner?.events ?? 0);
    if (tokens.promptTokens) gauges.promptTokens.inc(tokens.promptTokens);
    if (tokens.completionTokens) gauges.completionTokens.inc(tokens.completionTokens);
    this.world.ledger?.record({
      caller: this.request.caller,
      backend: backend.name,
      model,
      operation: this.request.operation,
      outcome,
      source,
      tokens,
      cost: this.world.cost(backend.name, model, tokens),
      durationMs,
      firstEventMs: this.firstEventAt > 0 ? this.firstEventAt - this.startedAt : null,
    });
  }
}
