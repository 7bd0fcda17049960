import type { AnswerSink, ResponseHead } from '../backends/backend.ts';
import type { BackendName, CompletionOperation } from '../contract.ts';
import { EventScanner, EventTooLarge } from '../wire/event-scanner.ts';
import {
  type BackendProblem,
  problemOfAnswer,
  problemOfConnection,
  problemOfContent,
  problemOfError,
} from './backend-problem.ts';

/** Follows one attempt at a backend. The last call is exactly one of `completed`, `streamed` and `failed`. */
export interface AttemptListener {
  /** The whole plain answer. */
  completed(body: Buffer): void;
  /** Whole events of a stream, or comments before the first. */
  forward(bytes: Buffer, scanner: EventScanner): void;
  /** The stream ended as it should. */
  streamed(scanner: EventScanner): void;
  failed(problem: BackendProblem): void;
  /** The backend gave a sign of life. */
  alive(): void;
}

/** How an attempt reads its answer. */
export interface AttemptOptions {
  readonly backend: BackendName;
  readonly operation: CompletionOperation;
  readonly stream: boolean;
  readonly hideUsage: boolean;
  readonly largestBytes: number;
}

const LINE_END = Buffer.from('\n');
const CHOICES = Buffer.from('"choices"');
const ERROR = Buffer.from('"error"');

/** One attempt at one backend: turns the bytes of its answer into calls of the listener. */
export class BackendAttempt implements AnswerSink {
  private readonly options: AttemptOptions;
  private readonly listener: AttemptListener;
  private head: ResponseHead | undefined;
  private scanner: EventScanner | undefined;
  private single: Buffer | undefined;
  private parts: Buffer[] | undefined;
  private size = 0;
  private over = false;

  constructor(options: AttemptOptions, listener: AttemptListener) {
    this.options = options;
    this.listener = listener;
  }

  /** Nothing more is reported. */
  drop(): void {
    this.over = true;
  }

  started(head: ResponseHead): void {
    this.head = head;
    const { stream, hideUsage, largestBytes } = this.options;
    const isJson = head.contentType.startsWith('application/json');
    if (stream && head.status === 200 && !isJson) this.scanner = new EventScanner(hideUsage, largestBytes);
    this.listener.alive();
  }

  received(bytes: Buffer): void {
    if (this.over) return;
    if (this.scanner !== undefined) this.scan(this.scanner, bytes);
    else this.keep(bytes);
  }

  ended(): void {
    if (this.over) return;
    if (this.scanner !== undefined) this.endStream(this.scanner);
    else this.endPlain(this.head);
  }

  failed(error: Error): void {
    if (this.over) return;
    // After [DONE] nothing was missing.
    if (this.scanner?.done) this.endStream(this.scanner);
    else this.fail(problemOfConnection(this.options.backend, error));
  }

  private fail(problem: BackendProblem): void {
    if (this.over) return;
    this.over = true;
    this.listener.failed(problem);
  }

  private scan(scanner: EventScanner, bytes: Buffer): void {
    try {
      const ready = scanner.push(bytes);
      if (ready === undefined) this.listener.alive();
      else this.pass(scanner, ready);
    } catch (error) {
      if (!(error instanceof EventTooLarge)) throw error;
      this.fail(problemOfContent(this.options.backend, 'sent an event beyond the size limit'));
    }
  }

  private pass(scanner: EventScanner, ready: Buffer): void {
    // An error as the first event is a refusal like any other: nothing was sent yet, so it may be tried again.
    if (scanner.failed && scanner.events === 1) {
      const { backend, operation } = this.options;
      const problem = scanner.error && problemOfError(backend, operation, scanner.error);
      this.fail(problem ?? problemOfContent(backend, 'answered with an error event'));
    } else this.listener.forward(ready, scanner);
  }

  private endStream(scanner: EventScanner): void {
    const rest = scanner.remainder();
    if (rest !== undefined && endsWell(rest)) {
      // The last event lacks its empty line, and perhaps the end of its last line too.
      const ends = rest.at(-1) === LINE_END[0] ? [LINE_END] : [LINE_END, LINE_END];
      this.scan(scanner, Buffer.concat([rest, ...ends]));
    }
    if (this.over) return;
    if (scanner.events === 0 && !scanner.done) {
      this.fail(problemOfContent(this.options.backend, 'ended the stream before its first event'));
    } else if (scanner.done || scanner.finished || scanner.failed) {
      this.over = true;
      this.listener.streamed(scanner);
    } else this.fail(problemOfContent(this.options.backend, 'broke off before the answer was complete'));
  }

  private keep(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size > this.options.largestBytes) {
      this.fail(problemOfContent(this.options.backend, 'sent an answer beyond the size limit'));
    } else if (this.single === undefined) this.single = bytes;
    else {
      this.parts ??= [this.single];
      this.parts.push(bytes);
    }
  }

  private endPlain(head: ResponseHead | undefined): void {
    const body = this.parts === undefined ? (this.single ?? Buffer.alloc(0)) : Buffer.concat(this.parts);
    const { backend, operation } = this.options;
    if (head === undefined || head.status !== 200) {
      const { status, contentType, retryAfterMs } = head ?? {
        status: 0,
        contentType: '',
        retryAfterMs: undefined,
      };
      this.fail(problemOfAnswer(backend, operation, { status, contentType, retryAfterMs }, body));
    } else {
      const problem = this.problemOf(body);
      if (problem !== undefined) this.fail(problem);
      else {
        this.over = true;
        this.listener.completed(body);
      }
    }
  }

  /** What is wrong with the body of a 200. A body with choices and without an error is a completion; only others are read. */
  private problemOf(body: Buffer): BackendProblem | undefined {
    const { backend, operation, stream } = this.options;
    const completes = isObject(body) && body.includes(CHOICES);
    if (completes && !stream && !body.includes(ERROR)) return undefined;
    const problem = problemOfError(backend, operation, body);
    if (problem !== undefined) return problem;
    if (completes && !stream) return undefined;
    if (!stream) return problemOfContent(backend, 'answered something else than a completion');
    // Asking again would be paid for again, and answered in the same way.
    return { ...problemOfContent(backend, 'answered a request for a stream without one'), retryable: false };
  }
}

/** Whether bytes look like a JSON object: they start and end with its braces. */
function isObject(body: Buffer): boolean {
  let start = 0;
  let end = body.length - 1;
  while (isSpace(body[start])) start++;
  while (end > start && isSpace(body[end])) end--;
  return end > start && body[start] === 0x7b && body[end] === 0x7d;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Whether the unfinished event at the end of a stream lacks nothing but its empty line. */
function endsWell(rest: Buffer): boolean {
  const text = rest.toString('utf8').trimEnd();
  const data = text.slice(text.lastIndexOf('data:') + 5).trim();
  if (!text.includes('data:')) return text.startsWith(':');
  if (data === '[DONE]') return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
