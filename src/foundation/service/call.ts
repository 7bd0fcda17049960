import type { FastifyReply } from 'fastify';
import type { Caller } from '../auth.ts';
import type { Logger } from '../log.ts';
import { ClientDisconnectedError } from './request-body.ts';

/** One request in progress. `signal` aborts when the client leaves before the answer. */
export interface Call {
  readonly correlationId: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly caller: Caller | undefined;
  /** Address at the other end of the connection. */
  readonly peer: string;
}

/** A call whose caller is not known yet. */
export type OpenCall = Call & { caller: Caller | undefined };

/** The call of a request; its log and abort signal are created on first use. */
export function createCall(reply: FastifyReply, parent: Logger, correlationId: string): OpenCall {
  let controller: AbortController | undefined;
  let log: Logger | undefined;
  return {
    correlationId,
    caller: undefined,
    peer: reply.raw.socket?.remoteAddress ?? '',
    get log() {
      log ??= parent.child({ correlation_id: correlationId });
      return log;
    },
    get signal() {
      if (controller === undefined) {
        const leaving = new AbortController();
        controller = leaving;
        // The answer closes with its connection; one that was sent whole closes too, and then the caller has not left.
        const closed = () => {
          if (!reply.raw.writableFinished) leaving.abort(new ClientDisconnectedError());
        };
        if (reply.raw.closed) closed();
        else reply.raw.once('close', closed);
      }
      return controller.signal;
    },
  };
}

/** A request as the foundation decorates it. */
export interface RequestWithCall {
  call: OpenCall;
}
