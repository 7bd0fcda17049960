import type { LossReason } from '../../../../foundation/client.ts';
import type { BackendName } from '../../../llm/contract.ts';
import { answerText, type ChatClient } from './conversation.ts';

/** Which model is to be tried, and where. */
export interface RoundTripTarget {
  readonly model: string;
  readonly backend?: BackendName | undefined;
}

/** The result of a question to a model; `latencyMs` is measured for failures, too. */
export type RoundTrip = { readonly latencyMs: number } & (
  | { readonly model: string; readonly backend: BackendName; readonly answer: string }
  | { readonly reason: LossReason | 'refused'; readonly message: string }
);

/** A question that every model can answer, with room for one that reasons first. */
const QUESTION = {
  messages: [{ role: 'user' as const, content: 'Answer with one word: ready' }],
  max_tokens: 256,
};
/** How much of an answer is shown, in characters. */
const SHOWN = 200;

/** The words of a refusal in the forms that gateways of the chat-completion family use. */
function refusalText(body: unknown): string {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return typeof message === 'string' ? message.slice(0, SHOWN) : 'The gateway refused the request.';
}

/** Asks one model one short question through the gateway. */
export async function tryModel(
  client: ChatClient,
  { model, backend }: RoundTripTarget,
  call: { readonly signal: AbortSignal; readonly correlationId: string },
): Promise<RoundTrip> {
  const started = performance.now();
  let failure: { reason: LossReason | 'refused'; message: string } = {
    reason: 'unavailable',
    message: 'The gateway gave no answer.',
  };
  const response = await client.chat(
    {
      body: { ...QUESTION, model, temperature: 0, stream: false, ...(backend !== undefined && { backend }) },
    },
    {
      signal: call.signal,
      correlationId: call.correlationId,
      lost: ({ reason, message }) => {
        failure = { reason, message };
      },
      refused: ({ body }) => {
        failure = { reason: 'refused', message: refusalText(body) };
      },
    },
  );
  const latencyMs = Math.round(performance.now() - started);
  if (response === undefined) return { latencyMs, ...failure };
  const answer = answerText(response).trim().slice(0, SHOWN);
  return { latencyMs, model: response.model, backend: response.backend, answer };
}
