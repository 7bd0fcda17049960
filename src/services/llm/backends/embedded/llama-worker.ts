import { InvalidJob, LoadedModel } from './loaded-model.ts';
import type { LoadOrder, Order, Report } from './protocol.ts';

/**
 * The program that holds one model in its own process: native code that fails takes nothing else with it, and memory
 * comes back to the last byte when it ends. Orders and reports travel as messages of Node.
 */
const running = new Map<number, AbortController>();
let model: LoadedModel | undefined;

function report(message: Report): void {
  process.send?.(message);
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function load(order: LoadOrder): Promise<void> {
  try {
    model = await LoadedModel.load(order);
    report({ type: 'loaded', context: model.context });
  } catch (error) {
    report({ type: 'refused', message: words(error) });
  }
}

async function run({ id, job }: Order & { type: 'run' }): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    if (model === undefined) throw new Error('no model is loaded');
    const listener = {
      began: (promptTokens: number) => report({ type: 'began', id, promptTokens }),
      text: (text: string, thought: boolean) => report({ type: 'text', id, text, thought }),
    };
    report({ type: 'ended', id, ...(await model.run(job, listener, stop.signal)) });
  } catch (error) {
    report({ type: 'failed', id, invalid: error instanceof InvalidJob, message: words(error) });
  } finally {
    running.delete(id);
  }
}

process.on('message', (order: Order) => {
  if (order.type === 'load') void load(order);
  else if (order.type === 'run') void run(order);
  else running.get(order.id)?.abort();
});
// An interrupt of the terminal reaches the whole group: the gateway still lets running answers end, and ends its engines itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
// An engine without its gateway is of no use, whatever ended the gateway. It has nothing to save, and its memory is wanted.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
