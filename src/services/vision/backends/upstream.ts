import { z } from 'zod';
import {
  type ListedModel,
  openModelUpstream,
  type UpstreamOptions,
  upstreamModel,
} from '../../../foundation/model-service/upstream.ts';
import { chatResponse, type VisionModel } from '../contract.ts';
import { errors } from '../errors.ts';
import type { VisionBackend } from './backend.ts';
import { createEventRelay } from './event-relay.ts';

/** Largest answer: the longest text that a request may ask for. */
const ANSWER_BYTES = 16 * 1024 * 1024;

const anyCompletion = z.looseObject({ choices: z.array(z.looseObject({})).min(1) });

const describe: (model: ListedModel) => VisionModel = upstreamModel;

/** A vision server of the operator; `model` stands first in its list. */
export function createUpstreamBackend(
  options: UpstreamOptions & { readonly model: string | undefined },
): VisionBackend {
  const upstream = openModelUpstream(options, { name: 'vision upstream', answerBytes: ANSWER_BYTES, errors });
  const relay = createEventRelay(options);
  const models = async (signal?: AbortSignal) => {
    const listed = (await upstream.models(signal)).map(describe);
    const { model } = options;
    if (model === undefined) return listed;
    const named =
      listed.find(({ id }) => id === model) ?? describe({ id: model, created: 0, owned_by: 'upstream' });
    return [named, ...listed.filter(({ id }) => id !== model)];
  };
  return {
    name: 'upstream',
    models,
    // It knows its models better than any list.
    find: async (id) => describe({ id, created: 0, owned_by: 'upstream' }),
    chat: ({ model, request }, { signal }) =>
      upstream.post('/chat/completions', { ...request, model, stream: false }, chatResponse, signal),
    stream: ({ model, request }, { signal }) =>
      relay.open('/chat/completions', { ...request, model, stream: true }, signal),
    complete: (model, request, { signal }) =>
      upstream.post('/completions', { ...request, model, stream: false }, anyCompletion, signal),
    probe: (signal) => upstream.probe(signal, { modelList: false }),
    close: async () => void (await Promise.all([upstream.close(), relay.close()])),
  };
}
