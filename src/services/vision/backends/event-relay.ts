import { Agent, type Dispatcher, request } from 'undici';
import { startDeadline } from '../../../foundation/deadline.ts';
import type { UpstreamOptions } from '../../../foundation/model-service/upstream.ts';
import { errors } from '../errors.ts';
import { eventOf } from './events.ts';

/** Largest stream: the longest answer, each of its tokens an event. */
const STREAM_BYTES = 64 * 1024 * 1024;
const CONNECT_MS = 5_000;
const FIRST_SERVER_ERROR = 500;

/** Streams of a server of the common convention, handed on as they come. */
export interface EventRelay {
  open(path: string, body: object, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

/** The failure for an answer that is no stream. */
function refusalOf(status: number) {
  if (status === 429) return errors.upstream_rate_limited();
  if (status === 404) return errors.model_not_found();
  if (status === 401 || status === 403) return errors.backend_failed();
  if (status >= FIRST_SERVER_ERROR) return errors.backend_unavailable();
  return status >= 400 ? errors.request_refused() : errors.backend_failed();
}

/** The events of a body; one that breaks off ends with an event that says so. */
async function* relayed(body: Dispatcher.ResponseData['body']): AsyncIterable<Uint8Array> {
  let bytes = 0;
  try {
    for await (const part of body as AsyncIterable<Uint8Array>) {
      bytes += part.length;
      if (bytes > STREAM_BYTES) throw new Error('the stream is too large');
      yield part;
    }
  } catch {
    const error = { code: 'backend_failed', message: 'The stream of the backend broke off.' };
    yield Buffer.from(eventOf({ error }));
  } finally {
    body.destroy();
  }
}

/** Opens the way to the streams of a server; the pause between two parts of one is limited. */
export function createEventRelay(options: UpstreamOptions): EventRelay {
  const agent = new Agent({ connect: { timeout: CONNECT_MS } });
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(options.key !== undefined && { authorization: `Bearer ${options.key}` }),
  };
  return {
    open: async (path, body, signal) => {
      const { timeoutMs } = options;
      const deadline = startDeadline(timeoutMs, signal);
      try {
        const response = await request(options.url + path, {
          dispatcher: agent,
          method: 'POST',
          headers,
          body: JSON.stringify(body),
          signal: deadline.signal,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        });
        const type = String(response.headers['content-type'] ?? '');
        if (response.statusCode === 200 && type.startsWith('text/event-stream')) {
          const leave = () => response.body.on('error', () => undefined).destroy();
          signal.addEventListener('abort', leave, { once: true });
          if (signal.aborted) leave();
          return relayed(response.body);
        }
        response.body.on('error', () => undefined).destroy();
        throw refusalOf(response.statusCode);
      } catch (cause) {
        signal.throwIfAborted();
        if (cause instanceof Error && 'status' in cause) throw cause;
        throw errors.backend_unavailable({ cause });
      } finally {
        deadline.stop();
      }
    },
    close: () => agent.destroy(),
  };
}
