import { type HasCircuits, worstState } from '../../../../foundation/breaker.ts';
import type { ChatClient } from './conversation.ts';

/** Models with a client of their own; those beyond share one. More than an installation ever assigns. */
const MOST_MODELS = 16;
const OTHERS = '';

/** A chat client that closes. */
type ClosingClient = ChatClient & HasCircuits & { close(): Promise<void> };

/**
 * One client for each model, so that a model that fails rests alone: behind one breaker its fallbacks would rest with it.
 */
export function clientPerModel(create: () => ClosingClient): ClosingClient {
  const clients = new Map<string, ClosingClient>();
  const clientOf = (model: string) => {
    const key = clients.has(model) || clients.size < MOST_MODELS ? model : OTHERS;
    const client = clients.get(key) ?? create();
    clients.set(key, client);
    return client;
  };
  return {
    chat: (input, options) => clientOf(input.body.model).chat(input, options),
    circuits: [
      {
        name: 'llm_models',
        state: () =>
          worstState([...clients.values()].flatMap(({ circuits }) => circuits.map((one) => one.state()))),
      },
    ],
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}
