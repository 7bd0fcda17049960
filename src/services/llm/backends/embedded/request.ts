import { z } from 'zod';
import type { Operation } from '../backend.ts';
import type { AnswerForm, Job, Sampling, Turn } from './protocol.ts';

/** The engine cannot do what the request asks for; the message goes to the caller. */
export class RequestRefusal extends Error {}

/** A completion request in the words of the engine. Several prompts are several jobs. */
export interface EmbeddedRequest {
  readonly model: string;
  readonly jobs: readonly Job[];
  /** Whether the caller wants the usage event of a stream. */
  readonly usage: boolean;
}

/** Prompts of one request. */
const MOST_PROMPTS = 64;

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });
const Message = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(Part)]).nullish(),
});

const Format = z.union([
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({ schema: z.record(z.string(), z.unknown()) }),
  }),
]);

const SamplingFields = {
  model: z.string(),
  temperature: z.number().nullish(),
  max_tokens: z.int().min(1).nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().min(0).nullish(),
  min_p: z.number().min(0).max(1).nullish(),
  seed: z.int().nullish(),
  frequency_penalty: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  n: z.literal(1, { error: 'the embedded engine gives one choice' }).nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
};

const Chat = z.object({
  ...SamplingFields,
  messages: z.array(Message),
  max_completion_tokens: z.int().min(1).nullish(),
  response_format: Format.nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  logprobs: z.literal(false, { error: 'the embedded engine tells no log probabilities' }).nullish(),
  chat_template_kwargs: z.looseObject({ enable_thinking: z.boolean().optional() }).nullish(),
});

const Text = z.object({
  ...SamplingFields,
  prompt: z.union([z.string(), z.array(z.string()).min(1).max(MOST_PROMPTS)], {
    error: `the embedded engine takes a text or up to ${MOST_PROMPTS} texts`,
  }),
  echo: z.literal(false, { error: 'the embedded engine does not repeat prompts' }).nullish(),
});

function parse<Schema extends z.ZodType>(schema: Schema, body: Buffer): z.infer<Schema> {
  const result = schema.safeParse(JSON.parse(body.toString('utf8')));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new RequestRefusal(`${issue?.path.join('.') ?? 'body'}: ${issue?.message ?? 'is not valid'}`);
}

function sampling(fields: z.infer<z.ZodObject<typeof SamplingFields>>, maxTokens: number | null): Sampling {
  const { stop } = fields;
  return {
    maxTokens,
    // The temperature was filled in on the way; engines of this kind take 0 for the most likely token.
    temperature: fields.temperature ?? 0,
    topP: fields.top_p ?? null,
    topK: fields.top_k ?? null,
    minP: fields.min_p ?? null,
    seed: fields.seed ?? null,
    frequencyPenalty: fields.frequency_penalty ?? 0,
    presencePenalty: fields.presence_penalty ?? 0,
    stop: (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((word) => word !== ''),
  };
}

function textOf(content: z.infer<typeof Message>['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map(({ type, text }) => {
      if (type !== 'text' || text === undefined)
        throw new RequestRefusal(`The embedded engine reads text alone, not parts of the type ${type}.`);
      return text;
    })
    .join('\n');
}

function turn({ role, content }: z.infer<typeof Message>): Turn {
  const text = textOf(content);
  if (role === 'system' || role === 'developer') return { role: 'system', text };
  if (role === 'user' || role === 'assistant') return { role, text };
  throw new RequestRefusal(`The embedded engine takes no messages of the role ${role}.`);
}

function answerForm(format: z.infer<typeof Chat>['response_format']): AnswerForm | null {
  if (format?.type === 'json_object') return 'json';
  return format?.type === 'json_schema' ? { schema: format.json_schema.schema } : null;
}

function readChat(body: Buffer): EmbeddedRequest {
  const fields = parse(Chat, body);
  if ((fields.tools ?? []).length > 0 && fields.tool_choice !== 'none')
    throw new RequestRefusal('The embedded engine calls no tools: use a model server for that.');
  const job: Job = {
    kind: 'chat',
    ...sampling(fields, fields.max_tokens ?? fields.max_completion_tokens ?? null),
    turns: fields.messages.map(turn),
    thinking: fields.chat_template_kwargs?.enable_thinking ?? null,
    form: answerForm(fields.response_format),
  };
  return { model: fields.model, jobs: [job], usage: fields.stream_options?.include_usage === true };
}

function readText(body: Buffer): EmbeddedRequest {
  const fields = parse(Text, body);
  const { prompt } = fields;
  const prompts = typeof prompt === 'string' ? [prompt] : prompt;
  const jobs = prompts.map(
    (text): Job => ({ kind: 'text', ...sampling(fields, fields.max_tokens ?? null), prompt: text }),
  );
  return { model: fields.model, jobs, usage: false };
}

/** Reads a checked request; throws RequestRefusal for what only a model server can do. */
export function readRequest(operation: Operation, body: Buffer): EmbeddedRequest {
  return operation === 'chat' ? readChat(body) : readText(body);
}
