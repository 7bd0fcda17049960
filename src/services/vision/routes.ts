import { Readable } from 'node:stream';
import { type CallerShareHeaders, fairQueueKey } from '../../foundation/caller-share.ts';
import { backendOf, modelsOf } from '../../foundation/model-service/backends.ts';
import type { RunQueued } from '../../foundation/model-service/model-queue.ts';
import type { OutgoingBytes } from '../../foundation/payloads.ts';
import type { Call, Handlers } from '../../foundation/service.ts';
import type { VisionBackend } from './backends/backend.ts';
import type { VisionModel, vision } from './contract.ts';
import { errors } from './errors.ts';
import { type PictureSource, readPictures } from './pictures.ts';

/** What the routes work with; of the backends the first that knows the name of a model answers. */
export interface VisionDependencies {
  readonly backends: readonly VisionBackend[];
  readonly runQueued: RunQueued;
  readonly pictures: PictureSource;
  readonly version: string;
}

const json = (body: object): OutgoingBytes => {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    mediaType: 'application/json; charset=utf-8',
    disposition: 'inline',
    open: () => Readable.from([bytes]),
  };
};
const events = (content: AsyncIterable<Uint8Array>): OutgoingBytes => ({
  mediaType: 'text/event-stream; charset=utf-8',
  disposition: 'inline',
  open: () => Readable.from(content, { objectMode: false }),
});

/** Passes a stream on and calls `onEnd` when it ends, which frees its place in the queue. */
async function* closeWith(content: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncIterable<Uint8Array> {
  try {
    yield* content;
  } finally {
    onEnd();
  }
}

/** Opens a stream from the queue; its place is free again when the stream ends. */
function streamQueued(
  runQueued: RunQueued,
  requester: { readonly caller: string; readonly signal: AbortSignal },
  open: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<AsyncIterable<Uint8Array>> {
  return new Promise((resolve, reject) => {
    const work = async () => {
      const content = await open();
      // The stream of a caller that has left is not read, so its place in the queue would never be freed.
      requester.signal.throwIfAborted();
      await new Promise<void>((resolveEnd) => {
        requester.signal.addEventListener('abort', () => resolveEnd(), { once: true });
        resolve(closeWith(content, resolveEnd));
      });
    };
    runQueued(requester, work).catch(reject);
  });
}

/** Handlers of the vision service. */
export function visionRoutes({
  backends,
  runQueued,
  pictures: source,
  version,
}: VisionDependencies): Handlers<typeof vision.operations> {
  // A server of the operator accepts any name, so it is asked last; its models are listed first, since they can do more than the describer.
  const listed = () => modelsOf<VisionModel>([...backends].reverse());
  const chosen = async (named: string | null | undefined) => {
    const model = named ?? (await listed())[0]?.id ?? '';
    return backendOf<VisionModel, VisionBackend>(backends, model, errors);
  };
  const requesterOf = (headers: CallerShareHeaders, call: Call) => ({
    caller: fairQueueKey(headers, call),
    signal: call.signal,
  });
  return {
    chat: async ({ body, headers }, call) => {
      const requester = requesterOf(headers, call);
      const visionCall = { ...requester, correlationId: call.correlationId };
      const { backend, model } = await chosen(body.model);
      const read = async () => ({ model: model.id, ...(await readPictures(body, source, call.signal)) });
      if (body.stream === true)
        return events(
          await streamQueued(runQueued, requester, async () => backend.stream(await read(), visionCall)),
        );
      return json(await runQueued(requester, async () => backend.chat(await read(), visionCall)));
    },
    complete: async ({ body, headers }, call) => {
      const requester = requesterOf(headers, call);
      const { backend, model } = await chosen(body.model);
      const work = () =>
        backend.complete(model.id, body, { ...requester, correlationId: call.correlationId });
      return json(await runQueued(requester, work));
    },
    models: async () => ({ object: 'list', data: await listed() }),
    version: () => ({ version }),
  };
}
