import { DeadlineError, withDeadline } from '../../../../foundation/deadline.ts';
import { createFairQueue, QueueFullError } from '../../../../foundation/fair-queue.ts';
import type { ChatResponse, Model } from '../../../llm/contract.ts';
import { isOwn, textModelsOf } from '../../session/assignments.ts';
import { CallTimes } from './call-times.ts';
import { type ChatClient, Conversations, type ModelRequest } from './conversation.ts';
import type { ServingModel } from './serving.ts';
import type { AskOptions, Task, TaskReply, TextModel } from './text-model.ts';

/** Limits of the use of models, read at each question. */
export interface TextModelLimits {
  /** For one question with its repair, in milliseconds. */
  readonly timeoutMs: number;
  /** Questions at once. */
  readonly calls: number;
  /** Code points of a text that are shown. */
  readonly textLength: number;
}

/** Questions that may wait for each place: more could not be answered within their time. */
const WAITING_PER_PLACE = 4;
/** The client ends a call at its limit and blames the gateway; this much later waiting ends whatever happened. */
const GRACE_MS = 150;
/** Longest name of a model that is stored. */
const LONGEST_NAME = 200;

/** The model's name from the answer; untrusted, so it is cleaned and bounded. */
function nameOf(reported: string, requested: string): string {
  const name = reported.replace(/[\p{C}\s]+/gu, ' ').trim();
  return name === '' || name.length > LONGEST_NAME ? requested : name;
}

/** The model that answered. Another backend or another listed model means that the requested one had failed. */
function whoAnswered(
  { model: reported, backend }: ChatResponse,
  requested: { model: string; listed: Model | undefined },
  serving: ServingModel,
): { model: string; fallbacks: number } {
  const elsewhere = requested.listed !== undefined && requested.listed.backend !== backend;
  const another = reported !== requested.model && serving.listed(reported) !== undefined;
  return { model: nameOf(reported, requested.model), fallbacks: elsewhere || another ? 1 : 0 };
}

/** The models to ask, in their order, or the reason why there is none. */
type Targets =
  | { readonly state: 'models'; readonly models: readonly string[] }
  | Exclude<TaskReply<never>, { state: 'answered' }>;

/** The models that the session assigns to a stage, else the one that serves. */
async function targetsFor(
  { stage }: Task<unknown>,
  { assignments }: AskOptions,
  serving: ServingModel,
): Promise<Targets> {
  if (isOwn(assignments, stage)) return { state: 'own' };
  const current = await serving.find();
  const assigned = textModelsOf(assignments, stage);
  if (current.state === 'serving') return { state: 'models', models: assigned ?? [current.model] };
  // With an assigned model, a gateway without a backend is a loss.
  if (assigned !== undefined && current.state === 'off') return { state: 'lost', reason: 'unavailable' };
  return current;
}

/** Dependencies of asking a model. */
interface ModelCallDependencies {
  readonly conversations: Conversations;
  readonly serving: ServingModel;
  readonly times: CallTimes;
}

async function askOne<Value>(
  { conversations, serving, times }: ModelCallDependencies,
  task: Task<Value>,
  request: ModelRequest,
  options: AskOptions,
): Promise<TaskReply<Value>> {
  const started = performance.now();
  const answer = await conversations.ask(task, request, options);
  if (answer.state === 'lost') return answer;
  const durationMs = Math.round(performance.now() - started);
  times.add(task.prompt.key, durationMs);
  const who = whoAnswered(answer.response, request, serving);
  return { state: 'answered', value: answer.value, ...who, durationMs };
}

/** Asks the assigned models in order until one answers; each gets an equal share of the remaining time. */
async function askWithFallbacks<Value>(
  asker: ModelCallDependencies,
  models: readonly string[],
  task: Task<Value>,
  { deadline, textLength, ...options }: AskOptions & { deadline: number; textLength: number },
): Promise<TaskReply<Value>> {
  let reply: TaskReply<Value> = { state: 'lost', reason: 'unavailable' };
  for (const [index, model] of models.entries()) {
    const now = performance.now();
    const request = {
      model,
      listed: asker.serving.listed(model),
      deadline: now + (deadline - now) / (models.length - index),
      textLength,
    };
    reply = await askOne(asker, task, request, options);
    if (reply.state === 'answered') return { ...reply, fallbacks: reply.fallbacks + index };
  }
  return reply;
}

/** Asks models through the gateway, a few questions at once; analyses that wait take turns. */
export function createTextModel(
  client: ChatClient,
  serving: ServingModel,
  limits: TextModelLimits,
): TextModel {
  const queue = createFairQueue({
    get running() {
      return limits.calls;
    },
    get waiting() {
      return limits.calls * WAITING_PER_PLACE;
    },
    get each() {
      return limits.calls * (1 + WAITING_PER_PLACE);
    },
  });
  const times = new CallTimes();
  const asker = { conversations: new Conversations(client), serving, times };

  const ask = async <Value>(task: Task<Value>, options: AskOptions): Promise<TaskReply<Value>> => {
    const { timeoutMs, textLength } = options.tuning?.model ?? limits;
    const limitMs = Math.min(task.timeoutMs ?? timeoutMs, timeoutMs);
    const deadline = performance.now() + limitMs;
    const targets = await targetsFor(task, options, serving);
    if (targets.state !== 'models') return targets;
    try {
      return await withDeadline(deadline + GRACE_MS - performance.now(), options.signal, (signal) =>
        queue.run(
          options.correlationId,
          () => askWithFallbacks(asker, targets.models, task, { ...options, signal, deadline, textLength }),
          signal,
        ),
      );
    } catch (error) {
      if (error instanceof QueueFullError) return { state: 'lost', reason: 'rate_limited' };
      if (error instanceof DeadlineError) return { state: 'lost', reason: 'timeout' };
      throw error;
    }
  };

  return {
    ask,
    prepare: async () => void (await serving.find()),
    serving: () => {
      const known = serving.known();
      return known?.state === 'serving' ? known.model : null;
    },
    usualTimes: (promptKey) => times.usual(promptKey),
    get textLength() {
      return limits.textLength;
    },
    get timeoutMs() {
      return limits.timeoutMs;
    },
  };
}
