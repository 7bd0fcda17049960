import { randomUUID } from 'node:crypto';
import type { FinishReason, ToolCall } from './protocol.ts';

/** What every piece of one answer repeats. */
export interface ReplyHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}

/** One generated text. */
export interface GeneratedText {
  readonly text: string;
  /** What the model reasoned before its answer; empty when it did not. */
  readonly thought: string;
  readonly finish: FinishReason;
  readonly calls: readonly ToolCall[];
}

/** Tokens of prompts and answers. */
export interface Counts {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** What a delta of a stream may hold. */
type Delta = {
  role?: 'assistant';
  content?: string;
  reasoning_content?: string;
  tool_calls?: { index: number; id: string; type: 'function'; function: ToolCall }[];
};

/** The calls of an answer as its delta holds them; a whole answer holds them without the index. */
export function callsDelta(calls: readonly ToolCall[]): Delta {
  return { tool_calls: calls.map((call, index) => ({ index, ...toolCall(call) })) };
}

function toolCall(call: ToolCall) {
  return { id: `call_${randomUUID()}`, type: 'function' as const, function: call };
}

function usage({ promptTokens, completionTokens }: Counts) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function bytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function event(value: unknown): Buffer {
  return Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
}

/** The whole answer to a chat. */
export function chatReply(head: ReplyHead, generated: GeneratedText, counts: Counts): Buffer {
  const { text, thought, finish, calls } = generated;
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(thought !== '' && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  };
  const choices = [{ index: 0, message, finish_reason: finish }];
  return bytes({ ...head, object: 'chat.completion', choices, usage: usage(counts) });
}

/** The whole answer to a text completion. */
export function textReply(head: ReplyHead, texts: readonly GeneratedText[], counts: Counts): Buffer {
  const choices = texts.map(({ text, finish }, index) => ({
    index,
    text,
    logprobs: null,
    finish_reason: finish,
  }));
  return bytes({ ...head, object: 'text_completion', choices, usage: usage(counts) });
}

/** One event of a streamed chat. */
export function chatEvent(head: ReplyHead, delta: Delta, finish: FinishReason | null = null): Buffer {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return event({ ...head, object: 'chat.completion.chunk', choices });
}

/** The event with the token usage of a stream. */
export function usageEvent(head: ReplyHead, counts: Counts): Buffer {
  return event({ ...head, object: 'chat.completion.chunk', choices: [], usage: usage(counts) });
}

/** The end of a stream. */
export const STREAM_END = Buffer.from('data: [DONE]\n\n');

/** A failure: the body of a refusal. */
export function failureReply(message: string, type: string): Buffer {
  return bytes({ error: { message, type, code: null, param: null } });
}

/** A failure after a stream started. */
export function failureEvent(message: string, type: string): Buffer {
  return event({ error: { message, type, code: null, param: null } });
}
