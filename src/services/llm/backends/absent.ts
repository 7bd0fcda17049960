import type { BackendName } from '../contract.ts';
import { type Backend, BackendRefusal } from './backend.ts';

/** A backend that is not there, and says why. */
export function createAbsentBackend(name: BackendName, reason: string): Backend {
  const refuse = async (): Promise<never> => {
    throw new BackendRefusal('invalid', reason);
  };
  return {
    name,
    operations: new Set(['chat', 'complete']),
    unavailable: reason,
    send(_exchange, receiver) {
      queueMicrotask(() => receiver.broke(new Error(reason)));
      return { pause() {}, resume() {}, abort() {} };
    },
    list: refuse,
    load: refuse,
    unload: refuse,
    probe: refuse,
    close: async () => {},
  };
}
