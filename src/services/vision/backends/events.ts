import type { ChatResponse } from '../contract.ts';

/** The last line of a stream. */
export const DONE = 'data: [DONE]\n\n';

/** One event of a stream. */
export const eventOf = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

/** A finished answer as the events in which a stream would have brought it. */
export function* eventsOf(
  { id, created, model, choices }: ChatResponse,
  piecesOf: (text: string) => readonly string[],
): Generator<string> {
  const [choice] = choices;
  const chunk = (delta: object, finish: string | null) =>
    eventOf({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  yield chunk({ role: 'assistant' }, null);
  for (const content of piecesOf(choice?.message.content ?? '')) yield chunk({ content }, null);
  yield chunk({}, choice?.finish_reason ?? 'stop');
  yield DONE;
}
