import { readFileSync } from 'node:fs';
import { createFairQueue } from '../../../foundation/fair-queue.ts';
import { packageFile } from '../../../foundation/files.ts';
import type { Logger } from '../../../foundation/log.ts';
import { identifyLanguage, sampleOf } from '../../../text/language.ts';
import { loadLinear } from '../../../text/linear.ts';
import type { ClaimItem } from '../resources/claims-result.ts';
import type { MediaType } from '../resources/media-types.ts';
import type { VerdictRules } from '../resources/verdict-rules.ts';
import type { AiTextAnswer } from './ai-text/engine.ts';
import type { ContextResult } from './context/context.ts';
import type { ContextInput } from './context/parsed-text.ts';
import type { Virality } from './context/virality.ts';
import { createEncodings, type EncodeText } from './encoding/encodings.ts';
import {
  type EncodingSteps,
  type encodableSentences,
  encodeInSteps,
  type SentenceEncodings,
  type TextEncoding,
} from './encoding/text-encoding.ts';
import { openEngineThreads } from './engine-threads.ts';
import { toPlainText } from './plain-text.ts';
import type { TechniquesAnalysis } from './techniques/engine.ts';

/** A text and its ISO 639-1 language, or und. */
export interface EngineText {
  readonly text: string;
  readonly language: string;
  /** Sentence vectors of the text; without them an engine uses the words alone. */
  readonly encoding?: TextEncoding | undefined;
}

/** Input of the context rules. */
export interface ContextTask extends ContextInput {
  readonly mediaType: MediaType;
  /** Submissions of the same content by others lately. */
  readonly priorSightings: number;
  readonly rules: Pick<VerdictRules, 'sensitive_topics' | 'virality_factors'>;
}

/** The engines of our own for text, by task. They hold no state between calls. */
export interface EngineTasks {
  sentences: typeof encodableSentences;
  vectors(input: Parameters<EncodingSteps['vectors']>[0]): SentenceEncodings;
  techniques(input: EngineText): TechniquesAnalysis;
  claims(input: EngineText): ClaimItem[];
  aiText(input: EngineText): AiTextAnswer;
  context(input: ContextTask): { context: ContextResult; virality: Virality };
}

/** Who submitted a task, and how it waits for a thread. Threads are shared fairly between users. */
export interface TaskContext {
  /** Realm and subject. */
  readonly account: string;
  /** Ends the wait; a task that runs is not broken off, it is short. */
  readonly signal: AbortSignal;
  /** Stops the clock of the caller's time limit; the result starts it again. */
  readonly pause: () => () => void;
}

/** The same engines, run outside the thread that answers requests. */
export type TextEngines = {
  readonly [Task in Exclude<keyof EngineTasks, keyof EncodingSteps>]: (
    input: Parameters<EngineTasks[Task]>[0],
    context: TaskContext,
  ) => Promise<ReturnType<EngineTasks[Task]>>;
} & {
  /** Encodes a text once for all detectors of a session. */
  readonly encode: EncodeText;
  /** Names the language of a text; quick enough for any thread. */
  identify(text: string): string;
  /** Rejects when no thread is left to run them. */
  probe(): Promise<void>;
  close(): Promise<void>;
};

/** Limit of one task: after it the thread is ended and replaced. The slowest measured text, hostile repetition, takes half a second. */
const TASK_LIMIT_MS = 15_000;

/** How many threads run the engines for one user, and how many tasks may wait for one. */
export interface EngineLimits {
  /** The pool has one more, so that other users never wait for the whole queue of one user. */
  readonly threads: number;
  readonly waiting: number;
  /** Milliseconds for one task; TASK_LIMIT_MS unless told. */
  readonly taskMs?: number;
}

/** A task of an engine that took longer than it may. */
export class EngineTimeoutError extends Error {
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`no answer of the engine within ${limitMs} ms`);
    this.limitMs = limitMs;
  }
}

/** A task that waits for a thread without a time limit. */
export function untimedTask(account: string, signal = new AbortController().signal): TaskContext {
  return { account, signal, pause: () => () => undefined };
}

/** Starts the threads of the engines; each thread loads an engine at its first task. */
export async function createTextEngines(
  { threads, waiting, taskMs = TASK_LIMIT_MS }: EngineLimits,
  log: Logger,
): Promise<TextEngines> {
  const allThreads = threads + 1;
  const pool = openEngineThreads(allThreads, log);
  const language = loadLinear(readFileSync(packageFile('models', 'language.bin')));
  const queue = createFairQueue({
    running: allThreads,
    waiting,
    each: allThreads + waiting,
    eachRunning: threads,
  });
  const run =
    <Task extends keyof EngineTasks>(name: Task) =>
    async (
      input: Parameters<EngineTasks[Task]>[0],
      { account, signal, pause }: TaskContext,
    ): Promise<ReturnType<EngineTasks[Task]>> => {
      const resume = pause();
      const work = async () => {
        resume();
        // The limit starts here, so that waiting does not count.
        const limit = AbortSignal.timeout(taskMs);
        try {
          return await pool.run<ReturnType<EngineTasks[Task]>>(input, { name, signal: limit });
        } catch (error) {
          throw limit.aborted ? new EngineTimeoutError(taskMs) : error;
        }
      };
      return queue.run(account, work, signal).finally(resume);
    };
  const encode = createEncodings(threads, (input, context) =>
    encodeInSteps(
      {
        sentences: (text) => run('sentences')(text, context),
        vectors: (part) => run('vectors')(part, context),
      },
      input,
    ),
  );
  // A start whose threads cannot work should fail here and say why; one that is slow, on a busy machine, should not.
  await pool.run({ text: 'warm', language: 'en' } satisfies Parameters<EngineTasks['aiText']>[0], {
    name: 'aiText' satisfies keyof EngineTasks,
  });
  return {
    techniques: run('techniques'),
    claims: run('claims'),
    aiText: run('aiText'),
    context: run('context'),
    encode,
    identify: (text) => identifyLanguage(language, toPlainText(sampleOf(text)).text).code,
    probe: async () => pool.probe(),
    close: () => pool.close(),
  };
}
