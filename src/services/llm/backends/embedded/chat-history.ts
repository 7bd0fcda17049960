import type { Functions, HistoryItem, PastFunctionCall } from './llama-binding.ts';
import type { PastCall, Tool, Turn } from './protocol.ts';

function pastCall({ name, parameters, result }: PastCall): PastFunctionCall {
  return { type: 'functionCall', name, params: parameters, result };
}

function historyItem({ role, text, calls }: Turn): HistoryItem {
  if (role !== 'assistant') return { type: role, text };
  return { type: 'model', response: [...(text === '' ? [] : [text]), ...calls.map(pastCall)] };
}

/** A conversation in the binding's form, ending where the model is to write: after its own tool calls, or as a new answer. */
export function chatHistory(turns: readonly Turn[]): HistoryItem[] {
  const history = turns.map(historyItem);
  const goesOn = (turns.at(-1)?.calls.length ?? 0) > 0;
  return goesOn ? history : [...history, { type: 'model', response: [] }];
}

/** Tools as the binding offers them to a model; undefined when there are none. */
export function functionsOf(tools: readonly Tool[]): Functions | undefined {
  if (tools.length === 0) return undefined;
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      { ...(description !== null && { description }), ...(parameters !== null && { params: parameters }) },
    ]),
  );
}
