import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Logger } from '../../foundation/log.ts';
import { type AnswerHeaders, responseHeaders } from './headers.ts';
import type { AnswerHandler } from './upstream.ts';

/** An answer in progress that can be aborted. */
export interface AbortableAnswer {
  abort(): void;
}

/** The destination of an answer. */
export interface AnswerTarget {
  readonly response: ServerResponse;
  /** Headers that the gateway gives with every answer, and those for this one. */
  readonly everywhere: AnswerHeaders;
  readonly own: () => AnswerHeaders;
  /** Called with status and headers before the answer is sent. */
  readonly answered: (status: number, headers: IncomingHttpHeaders) => void;
  /** Takes the response over from the framework. */
  readonly claim: () => void;
  /** Event streams that are open, to be ended when the gateway stops: they have no end of their own. */
  readonly openStreams: Set<AbortableAnswer>;
  /** What a log of an answer that broke off says beside the reason. */
  readonly facts: Readonly<Record<string, string>>;
  readonly log: Logger;
}

/** The lowest status of an answer; lower ones only say that one is to come. */
const FIRST_FINAL = 200;

/**
 * Passes the answer of a service on as it comes, no faster than its reader takes it, and gives it up when the reader leaves.
 * It implements the HTTP client's handler interface directly: one stream object per answer would cost more than all the rest.
 */
export class AnswerRelay implements AnswerHandler, AbortableAnswer {
  readonly begun: Promise<void>;
  /** Resolves when the answer has ended, whole or not; rejects when none began. */
  readonly ended: Promise<void>;
  aborted = false;
  private readonly target: AnswerTarget;
  private controller: Dispatcher.DispatchController | undefined;
  private hasBegun = false;
  private length: string | undefined;
  private begin!: () => void;
  private end!: () => void;
  private refuse!: (error: Error) => void;

  constructor(target: AnswerTarget) {
    this.target = target;
    this.begun = new Promise((resolve) => {
      this.begin = resolve;
    });
    this.ended = new Promise((resolve, reject) => {
      this.end = resolve;
      this.refuse = reject;
    });
    target.response.once('close', () => {
      if (!target.response.writableFinished) this.abort();
    });
  }

  /** Gives the answer up. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.controller?.abort(new Error('given up'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.aborted) controller.abort(new Error('given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < FIRST_FINAL) return;
    const { response, answered, everywhere, own, claim, openStreams } = this.target;
    answered(status, headers);
    const list = responseHeaders(everywhere, own(), headers);
    claim();
    this.hasBegun = true;
    this.length = headers['content-length'];
    response.writeHead(status, list as string[]);
    // The reader of an event stream learns that it is open before the first event.
    if (headers['content-type']?.startsWith('text/event-stream')) {
      response.flushHeaders();
      openStreams.add(this);
    }
    this.begin();
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    const { response } = this.target;
    // An answer that came in one piece is sent in one.
    if (String(piece.length) === this.length) response.end(piece);
    else if (!response.write(piece)) {
      controller.pause();
      response.once('drain', () => controller.resume());
    }
  }

  onResponseEnd(): void {
    this.target.openStreams.delete(this);
    if (!this.target.response.writableEnded) this.target.response.end();
    this.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** The answer has ended. */
  fail(error: Error): void {
    const { response, openStreams, log, facts } = this.target;
    openStreams.delete(this);
    this.begin();
    if (!this.hasBegun) {
      this.refuse(error);
      return;
    }
    if (!this.aborted) log.warn({ err: error, ...facts }, 'an answer broke off');
    response.destroy();
    this.end();
  }
}
