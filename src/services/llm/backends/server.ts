import type { Backend } from './backend.ts';
import { ChatApi, type ChatApiOptions } from './chat-api.ts';
import { ModelControl } from './model-control.ts';

/** A local model server with whatever way it has to load and unload models. */
export function createServerBackend(options: ChatApiOptions): Backend {
  const api = new ChatApi(options);
  const control = new ModelControl(api);
  return {
    name: options.name,
    operations: new Set(['chat', 'complete']),
    unavailable: undefined,
    send: (call, receiver) => api.send(call, receiver),
    list: (signal) => control.list(signal),
    load: (model, signal) => control.load(model, signal),
    unload: (model, signal) => control.unload(model, signal),
    probe: (signal) => api.probe(signal),
    close: () => api.close(),
  };
}
