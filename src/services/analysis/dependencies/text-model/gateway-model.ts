import { DeadlineError, withDeadline } from '../../../../foundation/deadline.ts';
import { createFairQueue, QueueFullError } from '../../../../foundation/fair-queue.ts';
import type { ChatResponse, Model } from '../../../llm/contract.ts';
import { isOwn, textModelsOf } from '../../session/assignments.ts';
import { CallTimes } from './call-times.ts';
import { type ChatClient, Conversations, type Question } from './conversation.ts';
import type { ServingModel } from './serving.ts';
import type { Asking, Reply, Task, TextModel } from './text-model.ts';

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

/** The model's name as the answer tells it; a server may tell anything. */
function nameOf(told: string, asked: string): string {
  const name = told.replace(/[\p{C}\s]+/gu, ' ').trim();
  return name === '' || name.length > LONGEST_NAME ? asked : name;
}

/** Who answered. Another backend, or another listed model, means that the one that was asked for had failed. */
function whoAnswered(
  { model: told, backend }: ChatResponse,
  asked: { model: string; listed: Model | undefined },
  serving: ServingModel,
): { model: string; fallbacks: number } {
  const elsewhere = asked.listed !== undefined && asked.listed.backend !== backend;
  const another = told !== asked.model && serving.listed(told) !== undefined;
  return { model: nameOf(told, asked.model), fallbacks: elsewhere || another ? 1 : 0 };
}

/** Whom to ask: models in their order, or the reason why nobody. */
type Targets =
  | { readonly state: 'models'; readonly models: readonly string[] }
  | Exclude<Reply<never>, { state: 'answered' }>;

/** The models that the session assigns to a stage, else the one that serves. */
async function targetsFor(
  { stage }: Task<unknown>,
  { assignments }: Asking,
  serving: ServingModel,
): Promise<Targets> {
  if (isOwn(assignments, stage)) return { state: 'own' };
  const found = await serving.find();
  const assigned = textModelsOf(assignments, stage);
  if (found.state === 'serving') return { state: 'models', models: assigned ?? [found.model] };
  // Somebody was assigned and expected: a gateway without a backend is then a loss.
  if (assigned !== undefined && found.state === 'off') return { state: 'lost', reason: 'unavailable' };
  return found;
}

/** What asking goes through. */
interface Asker {
  readonly conversations: Conversations;
  readonly serving: ServingModel;
  readonly times: CallTimes;
}

async function askOne<Value>(
  { conversations, serving, times }: Asker,
  task: Task<Value>,
  question: Question,
  asking: Asking,
): Promise<Reply<Value>> {
  const started = performance.now();
  const held = await conversations.hold(task, question, asking);
  if (held.state === 'lost') return held;
  const durationMs = Math.round(performance.now() - started);
  times.add(task.prompt.key, durationMs);
  const who = whoAnswered(held.response, question, serving);
  return { state: 'answered', value: held.value, ...who, durationMs };
}

/** Asks one model after the other until one answers; each has an equal share of the time that is left. */
async function askInTurn<Value>(
  asker: Asker,
  models: readonly string[],
  task: Task<Value>,
  { deadline, textLength, ...asking }: Asking & { deadline: number; textLength: number },
): Promise<Reply<Value>> {
  let reply: Reply<Value> = { state: 'lost', reason: 'unavailable' };
  for (const [index, model] of models.entries()) {
    const now = performance.now();
    const question = {
      model,
      listed: asker.serving.listed(model),
      deadline: now + (deadline - now) / (models.length - index),
      textLength,
    };
    reply = await askOne(asker, task, question, asking);
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

  const ask = async <Value>(task: Task<Value>, asking: Asking): Promise<Reply<Value>> => {
    const { timeoutMs, textLength } = asking.tuning?.model ?? limits;
    const limitMs = Math.min(task.timeoutMs ?? timeoutMs, timeoutMs);
    const deadline = performance.now() + limitMs;
    const targets = await targetsFor(task, asking, serving);
    if (targets.state !== 'models') return targets;
    try {
      return await withDeadline(deadline + GRACE_MS - performance.now(), asking.signal, (signal) =>
        queue.run(
          asking.correlationId,
          () => askInTurn(asker, targets.models, task, { ...asking, signal, deadline, textLength }),
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
