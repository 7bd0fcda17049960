import type { Backend } from './backend.ts';
import type { ChatApiOptions } from './chat-api.ts';
import { createServerBackend } from './server.ts';

/** A local GPU server: vLLM, or another of the chat-completion family. */
export function createGpuBackend(options: Omit<ChatApiOptions, 'name'>): Backend {
  return createServerBackend({ ...options, name: 'gpu' });
}
