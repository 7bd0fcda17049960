import type { Backend } from './backend.ts';
import type { ChatApiOptions } from './chat-api.ts';
import { createServerBackend } from './server.ts';

/** A local CPU server: llama.cpp or Ollama. */
export function createCpuBackend(options: Omit<ChatApiOptions, 'name'>): Backend {
  return createServerBackend({ ...options, name: 'cpu' });
}
