import { z } from 'zod';
import type { Client, LossReason } from '../../../../foundation/client.ts';
import type { ChatResponse, llm, Model } from '../../../llm/contract.ts';
import { jsonCandidates } from './json-answer.ts';
import { type Message, openingMessages, repairMessages } from './messages.ts';
import type { AskOptions, LostModel, Task } from './text-model.ts';

/** The part of the gateway that answers. */
export type ChatClient = Pick<Client<typeof llm>, 'chat'>;

/** One request to a model: its deadline, and how much of the material it may carry. */
export interface ModelRequest {
  readonly model: string;
  /** The entry of the model in the gateway's list; undefined when it is not listed. */
  readonly listed: Model | undefined;
  /** On the clock of performance.now(). */
  readonly deadline: number;
  /** Code points. */
  readonly textLength: number;
}

/** A parsed answer, with the response of the gateway. */
export interface ParsedAnswer<Value> {
  readonly state: 'parsed';
  readonly value: Value;
  readonly response: ChatResponse;
}

/** A second try is made only while this share of the time is left: about what the first one took. */
const REPAIR_SHARE = 0.4;
/** Tokens of the prompt around the material, with room for tokenizers that do badly on Romanian. */
const FRAME_TOKENS = 2_500;
/** Characters of material for each token, at least: English comes to four, Romanian to less than three. */
const CHARACTERS_PER_TOKEN = 2.2;
/** Least material that is sent, even to a model whose window seems too small for it. */
const LEAST_CHARACTERS = 500;
/** Statuses with which servers refuse `response_format`. */
const FORM_REFUSED: ReadonlySet<number> = new Set([400, 422, 501]);

/** How much of the material fits into the model's window beside the prompt and the answer, in code points. */
function charactersThatFit({ listed, textLength }: ModelRequest, answerTokens: number): number {
  const window = listed?.context_length ?? null;
  if (window === null) return textLength;
  const fits = Math.floor((window - answerTokens - FRAME_TOKENS) * CHARACTERS_PER_TOKEN);
  return Math.min(textLength, Math.max(LEAST_CHARACTERS, fits));
}

/** The text of an answer; servers may send it in parts. */
export function answerText({ choices }: ChatResponse): string {
  const content = choices[0]?.message.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = content.filter((part): part is { text: string } => typeof part?.text === 'string');
  return parts.map(({ text }) => text).join('');
}

/** What is wrong with an answer, in words that the model may use. */
function problemOf(response: ChatResponse, error: z.ZodError | undefined): string {
  if (response.choices[0]?.finish_reason === 'length') return 'it was cut off before its end';
  const issue = error?.issues[0];
  if (issue === undefined) return 'it holds no JSON object';
  const path = issue.path.join('.');
  return `${path === '' ? 'the object' : path}: ${issue.message}`;
}

function parseAnswer<Value>(
  response: ChatResponse,
  schema: z.ZodType<Value>,
): { value: Value } | { problem: string; text: string } {
  const text = answerText(response);
  let error: z.ZodError | undefined;
  for (const candidate of jsonCandidates(text)) {
    const result = schema.safeParse(candidate);
    if (result.success) return { value: result.data };
    error ??= result.error;
  }
  return { problem: problemOf(response, error), text };
}

/** Asks models through the gateway; an answer that cannot be parsed is sent back once for repair. */
export class Conversations {
  private readonly client: ChatClient;
  /** Models whose server refuses `response_format`: they are asked without it. */
  private readonly formless = new Set<string>();

  constructor(client: ChatClient) {
    this.client = client;
  }

  /** Asks until an answer matches the schema, twice at most. */
  async ask<Value>(
    task: Task<Value>,
    request: ModelRequest,
    options: AskOptions,
  ): Promise<ParsedAnswer<Value> | LostModel> {
    const started = performance.now();
    const { text, note } = task.material(charactersThatFit(request, task.prompt.max_tokens));
    let messages = openingMessages({ prompt: task.prompt, fields: task.fields, material: text, note });
    for (let repaired = false; ; repaired = true) {
      const sent = await this.send(task, request, messages, options);
      if ('reason' in sent) return { state: 'lost', reason: sent.reason };
      const read = parseAnswer(sent.response, task.schema);
      if ('value' in read) return { state: 'parsed', value: read.value, response: sent.response };
      const left = (request.deadline - performance.now()) / (request.deadline - started);
      if (repaired || left < REPAIR_SHARE) return { state: 'lost', reason: 'invalid_answer' };
      messages = repairMessages(messages, read.text, read.problem);
    }
  }

  private async send(
    task: Task<unknown>,
    { model, deadline }: ModelRequest,
    messages: readonly Message[],
    options: AskOptions,
  ): Promise<{ response: ChatResponse } | { reason: LossReason }> {
    let reason: LossReason = 'unavailable';
    let refused = 0;
    const formed = !this.formless.has(model);
    const response = await this.client.chat(
      { body: { model, messages: [...messages], ...howToAnswer(task, formed) } },
      {
        ...options,
        timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())),
        lost: (loss) => {
          reason = loss.reason;
        },
        refused: ({ status }) => {
          refused = status;
          reason = status === 404 ? 'unavailable' : 'invalid_answer';
        },
      },
    );
    if (response !== undefined) return { response };
    if (!formed || !FORM_REFUSED.has(refused)) return { reason };
    this.formless.add(model);
    const again = await this.send(
      task,
      { model, deadline, listed: undefined, textLength: 0 },
      messages,
      options,
    );
    // Refused without the form as well: the form was not the reason.
    if ('reason' in again) this.formless.delete(model);
    return again;
  }
}

/** Deterministic, bounded, and by a JSON schema where the server knows how. */
function howToAnswer({ prompt, schema }: Task<unknown>, formed: boolean) {
  const limits = { temperature: 0, max_tokens: prompt.max_tokens, stream: false };
  if (!formed) return limits;
  const json_schema = { name: prompt.key, strict: true, schema: z.toJSONSchema(schema) };
  return { ...limits, response_format: { type: 'json_schema', json_schema } };
}
