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

/** What the routes work with: the backends in the order in which they are asked for a model by its name. */
export interface VisionDependencies {
  readonly backends: readonly VisionBackend[];
  readonly inTurn: RunQueued;
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

/** Hands a stream on, and tells when it is over: its turn lasts so long. */
async function* until(content: AsyncIterable<Uint8Array>, over: () => void): AsyncIterable<Uint8Array> {
  try {
    yield* content;
  } finally {
    over();
  }
}

/** Opens a stream when its turn comes, which ends with the stream. */
function streamInTurn(
  inTurn: RunQueued,
  taker: { readonly caller: string; readonly signal: AbortSignal },
  open: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<AsyncIterable<Uint8Array>> {
  return new Promise((resolve, reject) => {
    const work = async () => {
      const content = await open();
      // Whoever has left reads nothing, and nothing would ever end the turn.
      taker.signal.throwIfAborted();
      await new Promise<void>((over) => {
        taker.signal.addEventListener('abort', () => over(), { once: true });
        resolve(until(content, over));
      });
    };
    inTurn(taker, work).catch(reject);
  });
}

/** Handlers of the vision service. */
export function visionRoutes({
  backends,
  inTurn,
  pictures: source,
  version,
}: VisionDependencies): Handlers<typeof vision.operations> {
  // A server of the operator takes any name, so it is asked last; its models stand first, for it sees more than can be measured.
  const listed = () => modelsOf<VisionModel>([...backends].reverse());
  const chosen = async (named: string | null | undefined) => {
    const model = named ?? (await listed())[0]?.id ?? '';
    return backendOf<VisionModel, VisionBackend>(backends, model, errors);
  };
  const takerOf = (headers: CallerShareHeaders, call: Call) => ({
    caller: fairQueueKey(headers, call),
    signal: call.signal,
  });
  return {
    chat: async ({ body, headers }, call) => {
      const taker = takerOf(headers, call);
      const visionCall = { ...taker, correlationId: call.correlationId };
      const { backend, model } = await chosen(body.model);
      const read = async () => ({ model: model.id, ...(await readPictures(body, source, call.signal)) });
      if (body.stream === true)
        return events(
          await streamInTurn(inTurn, taker, async () => backend.stream(await read(), visionCall)),
        );
      return json(await inTurn(taker, async () => backend.chat(await read(), visionCall)));
    },
    complete: async ({ body, headers }, call) => {
      const taker = takerOf(headers, call);
      const { backend, model } = await chosen(body.model);
      const work = () => backend.complete(model.id, body, { ...taker, correlationId: call.correlationId });
      return json(await inTurn(taker, work));
    },
    models: async () => ({ object: 'list', data: await listed() }),
    version: () => ({ version }),
  };
}
