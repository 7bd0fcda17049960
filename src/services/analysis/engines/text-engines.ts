import { readFileSync } from 'node:fs';
import { Piscina } from 'piscina';
import { packageFile } from '../../../foundation/files.ts';
import type { Logger } from '../../../foundation/log.ts';
import { identifyLanguage } from '../../../text/language.ts';
import { loadLinear } from '../../../text/linear.ts';
import type { ClaimItem } from '../resources/claims-result.ts';
import type { MediaType } from '../resources/media-types.ts';
import type { VerdictRules } from '../resources/verdict-rules.ts';
import type { AiTextAnswer } from './ai-text/engine.ts';
import type { ContextResult } from './context/context.ts';
import type { ContextInput } from './context/reading.ts';
import type { Virality } from './context/virality.ts';
import { readable } from './plain-text.ts';
import type { TechniquesAnalysis } from './techniques/engine.ts';

/** A text and its ISO 639-1 language, or und. */
export interface EngineText {
  readonly text: string;
  readonly language: string;
}

/** What the context rules are asked. */
export interface ContextTask extends ContextInput {
  readonly mediaType: MediaType;
  /** Submissions of the same content by others lately. */
  readonly priorSightings: number;
  readonly rules: Pick<VerdictRules, 'sensitive_topics' | 'virality_factors'>;
}

/** The engines of our own for text, by task. They keep nothing between calls. */
export interface EngineTasks {
  techniques(input: EngineText): TechniquesAnalysis;
  claims(input: EngineText): ClaimItem[];
  aiText(input: EngineText): AiTextAnswer;
  context(input: ContextTask): { context: ContextResult; virality: Virality };
}

/** The same engines, run outside the thread that answers requests. */
export type TextEngines = {
  readonly [Task in keyof EngineTasks]: (
    ...input: Parameters<EngineTasks[Task]>
  ) => Promise<ReturnType<EngineTasks[Task]>>;
} & {
  /** Names the language of a text; quick enough for any thread. */
  identify(text: string): string;
  /** Rejects when no thread is left to run them. */
  probe(): Promise<void>;
  close(): Promise<void>;
};

/** A task that takes longer runs away: its thread is ended and made anew. The slowest measured text, hostile repetition, takes half a second. */
const TASK_LIMIT_MS = 15_000;

/** Starts the engines in their threads; each thread loads the models once. */
export async function createTextEngines(threads: number, log: Logger): Promise<TextEngines> {
  const pool = new Piscina({
    filename: packageFile('dist', 'text-engines-worker.js'),
    minThreads: threads,
    maxThreads: threads,
    // Engines never wait: without it a worker would hold its thread between two tasks for nothing.
    atomics: 'disabled',
  });
  // Without a listener a worker that cannot start would end the process; the failed task tells its caller instead.
  pool.on('error', (error: unknown) => log.error({ err: error }, 'a text engine failed outside a task'));
  const language = loadLinear(readFileSync(packageFile('models', 'language.bin')));
  const run =
    <Task extends keyof EngineTasks>(name: Task) =>
    async (...input: Parameters<EngineTasks[Task]>): Promise<ReturnType<EngineTasks[Task]>> =>
      pool.run(input[0], { name, signal: AbortSignal.timeout(TASK_LIMIT_MS) });
  // The first task waits for the models; a start that cannot load them should fail here and say why.
  await run('aiText')({ text: 'warm', language: 'en' });
  return {
    techniques: run('techniques'),
    claims: run('claims'),
    aiText: run('aiText'),
    context: run('context'),
    identify: (text) => identifyLanguage(language, readable(text).text).code,
    probe: async () => {
      if (pool.threads.length === 0) throw new Error('no thread of the text engines runs');
    },
    close: () => pool.destroy(),
  };
}
