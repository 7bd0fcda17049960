import type { BackendName, CompletionOperation, Model } from '../contract.ts';

/** One call of a backend: the edited bytes of the request. */
export interface BackendCall {
  readonly operation: CompletionOperation;
  readonly body: Buffer;
  readonly stream: boolean;
  readonly requestId: string;
}

/** How an answer begins. */
export interface ResponseHead {
  readonly status: number;
  readonly contentType: string;
  /** Milliseconds that the backend asks to wait, where it does. */
  readonly retryAfterMs: number | undefined;
}

/** Takes an answer piece by piece. After `ended` or `failed`, or after the transfer was aborted, nothing more comes. */
export interface AnswerSink {
  started(head: ResponseHead): void;
  /** Bytes of the body: JSON, or server-sent events. The buffer may be kept. */
  received(bytes: Buffer): void;
  ended(): void;
  /** The connection failed, or could not be made. */
  failed(reason: Error): void;
}

/** A call in progress. */
export interface Transfer {
  pause(): void;
  resume(): void;
  /** Stops the backend's work; the receiver is not called again. */
  abort(): void;
}

/** A model as its backend lists it. */
export type ListedModel = Omit<Model, 'backend' | 'object'>;

/** A backend cannot do what was asked: the message goes to the caller. */
export class BackendRefusal extends Error {
  readonly kind: 'invalid' | 'unsupported';

  constructor(kind: 'invalid' | 'unsupported', message: string) {
    super(message);
    this.name = 'BackendRefusal';
    this.kind = kind;
  }
}

/** A place where models run: a provider router, a server, or an engine in this process. */
export interface Backend {
  readonly name: BackendName;
  /** The operations it can be asked for; `complete` without it answers 501. */
  readonly operations: ReadonlySet<CompletionOperation>;
  /** Why it cannot be used at all, such as a missing part; undefined when it can. */
  readonly unavailable: string | undefined;
  /** Starts a call. The receiver is never called before this returns. */
  send(call: BackendCall, receiver: AnswerSink): Transfer;
  list(signal: AbortSignal): Promise<ListedModel[]>;
  /** Loads a model and returns what happened; throws BackendRefusal where that is impossible. */
  load(model: string, signal: AbortSignal): Promise<string>;
  unload(model: string, signal: AbortSignal): Promise<string>;
  /** Rejects with a short reason when the backend does not work. */
  probe(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
