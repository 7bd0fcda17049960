import type { Probeable } from '../../../foundation/health.ts';
import { createFairThreadPool } from '../fair-thread-pool.ts';
import type { NamedEntities, TextSentiment } from '../resources/text.ts';
import type { ExtractorsSettings } from '../settings.ts';
import type { TextResult, TextTask } from './extractors-text-worker.ts';

/** A text, and its language where it is known. */
export type Text = Pick<TextTask, 'text' | 'language'>;

/** Finds names in texts, and their sentiment. */
export interface TextAnalyser extends Probeable {
  names(text: Text, caller: string, signal: AbortSignal): Promise<Omit<NamedEntities, 'request_id'>>;
  sentiment(text: Text, caller: string, signal: AbortSignal): Promise<Omit<TextSentiment, 'request_id'>>;
  close(): Promise<void>;
}

const HEAP_MEGABYTES = 256;
/** The task of the health probe. */
const PROBE = { kind: 'names', text: 'Maria lives in Paris.', language: 'en' } as const;

/** Creates the analyser; no thread is started before the first text. */
export function createTextAnalyser(settings: ExtractorsSettings): TextAnalyser {
  const pool = createFairThreadPool<TextTask, TextResult>(settings, {
    script: 'extractors-text-worker.js',
    heapMegabytes: HEAP_MEGABYTES,
  });
  const read = <Result extends TextResult>(task: TextTask, caller: string, callerSignal: AbortSignal) =>
    pool.runQueued(
      caller,
      callerSignal,
      settings.EXTRACTORS_TEXT_TIMEOUT_MS,
      async (signal) => (await pool.run(task, signal)) as Result,
    );
  return {
    names: (text, caller, signal) => read({ kind: 'names', ...text }, caller, signal),
    sentiment: (text, caller, signal) => read({ kind: 'sentiment', ...text }, caller, signal),
    probe: async (signal) => {
      await pool.run(PROBE, signal);
    },
    close: () => pool.close(),
  };
}
