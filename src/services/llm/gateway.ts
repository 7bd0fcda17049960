import { isAscii, isUtf8 } from 'node:buffer';
import type { Detail } from '../../foundation/errors.ts';
import type { Admission } from './admission.ts';
import type { AnswerCache, CachedAnswer, Flight } from './answer-cache.ts';
import type { Operation } from './backends/backend.ts';
import type { ClientAnswer } from './client-answer.ts';
import { Completion } from './completion.ts';
import { checkChat, checkText, type NamedFields } from './completion-request.ts';
import type { BackendPlace, CompletionRequest, CompletionWorld, Target } from './completion-world.ts';
import { type BackendName, errors } from './contract.ts';
import { retryHeaders } from './error-body.ts';
import type { Gauges } from './gauges.ts';
import type { ModelDirectory } from './model-directory.ts';
import { lookUp, type PolicySource } from './policy.ts';
import type { TokenUsage } from './token-usage.ts';

/** When a place is full, a caller is told to come back after this many milliseconds. */
const FULL_RETRY_MS = 1000;

const NO_TOKENS: TokenUsage = { promptTokens: 0, completionTokens: 0, cost: 0 };

/** What the gateway is made of. */
export interface GatewayParts {
  readonly places: ReadonlyMap<BackendName, BackendPlace>;
  readonly directory: ModelDirectory;
  readonly admission: Admission;
  readonly policy: PolicySource;
  readonly gauges: Gauges;
  readonly world: CompletionWorld;
  readonly defaultBackend: BackendName;
  readonly defaultModel: string | undefined;
  /** Undefined when answers are not cached. */
  readonly cache: AnswerCache | undefined;
}

/** Takes completion requests: checks them, finds their backend, waits for a place, and lets them run. */
export class Gateway {
  private readonly parts: GatewayParts;
  private draining = false;

  constructor(parts: GatewayParts) {
    this.parts = parts;
  }

  /** Takes a request whose caller is known and within its rate; throws a failure when it is wrong. `cacheable` is false when the caller wants no cached answer. */
  take(operation: Operation, body: Buffer, caller: string, answer: ClientAnswer, cacheable = true): void {
    if (this.draining) {
      this.parts.gauges.rejected('draining');
      throw errors.shutting_down({ headers: { connection: 'close' } });
    }
    const request = readRequest(operation, body, caller);
    const unread = this.parts.directory.ready();
    if (unread === undefined) this.look(request, answer, cacheable);
    else void unread.then(() => answer.over || this.look(request, answer, cacheable));
  }

  /** Answers from the cache, or waits for an identical request that is under way, or goes on. */
  private look(request: CompletionRequest, answer: ClientAnswer, cacheable: boolean): void {
    const { cache, gauges } = this.parts;
    if (cache === undefined || !cacheable) {
      this.admit(request, answer, undefined);
      return;
    }
    const { caller, operation, fields, body } = request;
    const state = cache.look(caller, operation, fields.stream, body);
    if (state.kind === 'hit') {
      gauges.cache('hit');
      this.replay(request, state.answer, answer);
    } else if (state.kind === 'lead') {
      gauges.cache('miss');
      this.admit(request, answer, state.flight);
    } else {
      gauges.cache('shared');
      const leave = state.flight.wait((shared) => {
        answer.worker = undefined;
        // The one that was waited for failed or left: this request goes its own way.
        if (shared === undefined) this.admit(request, answer, undefined);
        else this.replay(request, shared, answer);
      });
      answer.worker = { left: leave };
    }
  }

  /** Ends what still runs after `milliseconds`; new requests are refused from now on. */
  async drain(milliseconds: number): Promise<void> {
    this.draining = true;
    const end = performance.now() + milliseconds;
    const { running } = this.parts.world;
    while (running.size > 0 && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const completion of running.all()) completion.stop();
  }

  /** Answers from memory. No token is spent, and the account says so. */
  private replay({ caller, operation }: CompletionRequest, cached: CachedAnswer, answer: ClientAnswer): void {
    send(cached, answer);
    this.parts.world.ledger?.record({
      ...cached.by,
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

  private admit(request: CompletionRequest, answer: ClientAnswer, flight: Flight | undefined): void {
    const { admission } = this.parts;
    if (admission.tryEnter()) {
      this.run(request, answer, flight);
      return;
    }
    const refuse = () => {
      answer.worker = undefined;
      flight?.finish(undefined);
      this.parts.gauges.rejected('concurrency');
      answer.fail(errors.concurrency_limited({ headers: retryHeaders(FULL_RETRY_MS) }));
    };
    const leave = admission.wait(() => this.run(request, answer, flight), refuse);
    if (leave === undefined) refuse();
    else {
      const left = () => {
        leave();
        flight?.finish(undefined);
      };
      answer.worker = { left };
    }
  }

  private run(request: CompletionRequest, answer: ClientAnswer, flight: Flight | undefined): void {
    const { admission, world } = this.parts;
    const targets = this.targets(request);
    const [first] = targets;
    const absent = first === undefined ? notConfigured(request.fields) : first.place.backend.unavailable;
    if (absent !== undefined) {
      admission.leave();
      flight?.finish(undefined);
      answer.fail(errors.backend_unavailable({ message: absent }));
      return;
    }
    new Completion(world, request, targets, answer, admission).start(flight);
  }

  /** The place for a request and, behind it, those of its fallback chain. */
  private targets({ fields, operation }: CompletionRequest): Target[] {
    const { places, policy, directory, defaultModel } = this.parts;
    const backend = this.backendOf(fields);
    const model = fields.model ?? defaultModel ?? directory.firstOf(backend) ?? '';
    const place = places.get(backend);
    if (place === undefined) return [];
    const chain = lookUp(policy.current.fallbacks, backend, model) ?? [];
    const targets: Target[] = [{ place, model }];
    for (const fallback of chain) {
      const other = places.get(fallback.backend);
      if (other?.backend.operations.has(operation) && other.backend.unavailable === undefined)
        targets.push({ place: other, model: fallback.model ?? model });
    }
    return targets;
  }

  private backendOf({ backend, model }: NamedFields): BackendName {
    if (backend !== undefined) return backend;
    const { directory, defaultBackend } = this.parts;
    if (model === undefined) return defaultBackend;
    return directory.find(model, defaultBackend) ?? defaultBackend;
  }
}

/** Sends a cached answer in the form that was asked for when it was made. */
function send({ stream, bytes }: CachedAnswer, answer: ClientAnswer): void {
  answer.headers.push('x-limpede-cache', 'hit');
  if (!stream) {
    answer.plain(200, bytes);
    return;
  }
  answer.open();
  answer.write(bytes);
  answer.end(false);
}

function notConfigured({ backend }: NamedFields): string {
  return backend === undefined
    ? 'The default backend is not configured.'
    : `The ${backend} backend is not configured.`;
}

/** Reads and checks a body; throws a failure that lists all that is wrong. */
export function readRequest(operation: Operation, body: Buffer, caller: string): CompletionRequest {
  const parsed = readJson(body);
  const fields = operation === 'chat' ? checkChat(parsed) : checkText(parsed);
  if (Array.isArray(fields)) throw errors.validation_failed({ details: fields as Detail[] });
  if (operation === 'complete' && fields.stream) {
    throw errors.invalid_parameter({ message: 'Text completions are not streamed.' });
  }
  return {
    operation,
    body,
    parsed: parsed as Record<string, unknown>,
    fields: fields as NamedFields,
    caller,
  };
}

function readJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  // Decoding plain ASCII as Latin-1 is a copy; decoding UTF-8 looks at every byte again.
  const ascii = isAscii(body);
  if (!ascii && !isUtf8(body)) throw unreadable('The body is not UTF-8.');
  try {
    return JSON.parse(body.toString(ascii ? 'latin1' : 'utf8'));
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : 'The body is not JSON.');
  }
}

function unreadable(reason: string) {
  const message = `JSON decode error: ${reason}`;
  return errors.invalid_json({
    message,
    details: [{ path: ['body'], type: 'json_invalid', message, input: {} }],
  });
}
