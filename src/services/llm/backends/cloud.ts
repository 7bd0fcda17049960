import { type Backend, BackendRefusal } from './backend.ts';
import { ChatApi, type ChatApiOptions } from './chat-api.ts';

/** A provider router. Its models are always there: loading is no operation of it. */
export function createCloudBackend(options: Omit<ChatApiOptions, 'name'>): Backend {
  const api = new ChatApi({ ...options, name: 'cloud' });
  const refuse = async (): Promise<never> => {
    throw new BackendRefusal('invalid', 'Models of the cloud backend are neither loaded nor unloaded.');
  };
  return {
    name: 'cloud',
    operations: new Set(['chat', 'complete']),
    unavailable: undefined,
    send: (call, receiver) => api.send(call, receiver),
    list: (signal) => api.list(signal),
    load: refuse,
    unload: refuse,
    probe: (signal) => api.probe(signal),
    close: () => api.close(),
  };
}
