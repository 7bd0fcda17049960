import { z } from 'zod';
import type { CompletionOperation } from '../../contract.ts';
import type { AnswerForm, Job, PastCall, Sampling, Tool, Turn } from './protocol.ts';

/** The engine cannot do what the request asks for; the message goes to the caller. */
export class RequestRefusal extends Error {}

/** A completion request as the engine takes it. Several prompts are several jobs. */
interface EmbeddedRequest {
  readonly model: string;
  readonly jobs: readonly Job[];
  /** Whether the caller wants the usage event of a stream. */
  readonly usage: boolean;
}

/** Prompts of one request. */
const MAX_PROMPTS = 64;

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const toolCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const message = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
  tool_calls: z.array(toolCall).nullish(),
  tool_call_id: z.string().nullish(),
});
type Message = z.infer<typeof message>;

const toolField = z.object({
  function: z.object({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const format = z.union([
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({ schema: z.record(z.string(), z.unknown()) }),
  }),
]);

const samplingFields = {
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

const chatBody = z.object({
  ...samplingFields,
  messages: z.array(message),
  max_completion_tokens: z.int().min(1).nullish(),
  response_format: format.nullish(),
  tools: z.array(toolField).nullish(),
  tool_choice: z.enum(['none', 'auto'], { error: 'the embedded engine takes none or auto' }).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  logprobs: z.literal(false, { error: 'the embedded engine gives no log probabilities' }).nullish(),
  chat_template_kwargs: z.looseObject({ enable_thinking: z.boolean().optional() }).nullish(),
});

const textBody = z.object({
  ...samplingFields,
  prompt: z.union([z.string(), z.array(z.string()).min(1).max(MAX_PROMPTS)], {
    error: `the embedded engine takes a text or up to ${MAX_PROMPTS} texts`,
  }),
  echo: z.literal(false, { error: 'the embedded engine does not repeat prompts' }).nullish(),
});

function parse<Schema extends z.ZodType>(schema: Schema, body: Buffer): z.infer<Schema> {
  const result = schema.safeParse(JSON.parse(body.toString('utf8')));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new RequestRefusal(`${issue?.path.join('.') ?? 'body'}: ${issue?.message ?? 'is not valid'}`);
}

function sampling(fields: z.infer<z.ZodObject<typeof samplingFields>>, maxTokens: number | null): Sampling {
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

function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map(({ type, text }) => {
      if (type !== 'text' || text === undefined)
        throw new RequestRefusal(`The embedded engine reads text alone, not parts of the type ${type}.`);
      return text;
    })
    .join('\n');
}

function pastCall(call: z.infer<typeof toolCall>, results: ReadonlyMap<string, string>): PastCall {
  const { name, arguments: json } = call.function;
  const result = results.get(call.id);
  if (result === undefined) throw new RequestRefusal(`The result of the tool call ${call.id} is missing.`);
  try {
    return { name, parameters: JSON.parse(json), result };
  } catch {
    throw new RequestRefusal(`The arguments of the tool call ${call.id} are no JSON.`);
  }
}

/** The turns of a conversation. Results of tools go to the calls that asked for them. */
function turns(messages: readonly Message[]): Turn[] {
  const results = new Map(
    messages
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => [tool_call_id ?? '', textOf(content)]),
  );
  return messages.flatMap(({ role, content, tool_calls }): Turn[] => {
    if (role === 'tool') return [];
    const text = textOf(content);
    if (role === 'system' || role === 'developer') return [{ role: 'system', text, calls: [] }];
    if (role === 'user') return [{ role, text, calls: [] }];
    if (role === 'assistant')
      return [{ role, text, calls: (tool_calls ?? []).map((call) => pastCall(call, results)) }];
    throw new RequestRefusal(`The embedded engine takes no messages of the role ${role}.`);
  });
}

function toolsOf({ tools, tool_choice }: z.infer<typeof chatBody>): Tool[] {
  if (tool_choice === 'none') return [];
  return (tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    description: description ?? null,
    parameters: parameters ?? null,
  }));
}

function answerForm(format: z.infer<typeof chatBody>['response_format']): AnswerForm | null {
  if (format?.type === 'json_object') return 'json';
  return format?.type === 'json_schema' ? { schema: format.json_schema.schema } : null;
}

function readChat(body: Buffer): EmbeddedRequest {
  const fields = parse(chatBody, body);
  const tools = toolsOf(fields);
  const form = answerForm(fields.response_format);
  if (tools.length > 0 && form !== null)
    throw new RequestRefusal('The embedded engine takes either tools or a response_format.');
  const job: Job = {
    kind: 'chat',
    ...sampling(fields, fields.max_tokens ?? fields.max_completion_tokens ?? null),
    turns: turns(fields.messages),
    thinking: fields.chat_template_kwargs?.enable_thinking ?? null,
    form,
    tools,
    manyCalls: fields.parallel_tool_calls !== false,
  };
  return { model: fields.model, jobs: [job], usage: fields.stream_options?.include_usage === true };
}

function readText(body: Buffer): EmbeddedRequest {
  const fields = parse(textBody, body);
  const { prompt } = fields;
  const prompts = typeof prompt === 'string' ? [prompt] : prompt;
  const jobs = prompts.map(
    (text): Job => ({ kind: 'text', ...sampling(fields, fields.max_tokens ?? null), prompt: text }),
  );
  return { model: fields.model, jobs, usage: false };
}

/** Reads a checked request; throws RequestRefusal for what only a model server can do. */
export function readRequest(operation: CompletionOperation, body: Buffer): EmbeddedRequest {
  return operation === 'chat' ? readChat(body) : readText(body);
}
