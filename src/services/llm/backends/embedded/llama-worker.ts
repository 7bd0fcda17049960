import { InvalidJob, LoadedModel } from './loaded-model.ts';
import type { Command, EngineEvent, LoadCommand } from './protocol.ts';

/**
 * The program that holds one model in its own process: native code that fails takes nothing else with it, and memory
 * comes back to the last byte when it ends. Commands and events are messages of Node.
 */
const running = new Map<number, AbortController>();
let model: LoadedModel | undefined;

function emit(event: EngineEvent): void {
  process.send?.(event);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function load(command: LoadCommand): Promise<void> {
  try {
    model = await LoadedModel.load(command);
    emit({ type: 'loaded', context: model.context });
  } catch (error) {
    emit({ type: 'refused', message: messageOf(error) });
  }
}

async function run({ id, job }: Command & { type: 'run' }): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    if (model === undefined) throw new Error('no model is loaded');
    const listener = {
      started: (promptTokens: number) => emit({ type: 'started', id, promptTokens }),
      text: (text: string, thought: boolean) => emit({ type: 'text', id, text, thought }),
    };
    emit({ type: 'ended', id, ...(await model.run(job, listener, stop.signal)) });
  } catch (error) {
    emit({ type: 'failed', id, invalid: error instanceof InvalidJob, message: messageOf(error) });
  } finally {
    running.delete(id);
  }
}

process.on('message', (command: Command) => {
  if (command.type === 'load') void load(command);
  else if (command.type === 'run') void run(command);
  else running.get(command.id)?.abort();
});
// An interrupt in the terminal reaches the whole process group; the gateway ends its engines itself, after running answers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
// When the gateway ends, however it ends, its engines end at once: they have nothing to save.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
