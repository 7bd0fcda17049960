import { randomUUID } from 'node:crypto';
import type { Language } from '../../../../foundation/localized-text.ts';
import { oneModel } from '../../../../foundation/model-service/backends.ts';
import type { Decoder } from '../../../../media/image/decoder.ts';
import { type ChatRequest, type ChatResponse, MODEL_OWNER, type VisionModel } from '../../contract.ts';
import { errors } from '../../errors.ts';
import { questionOf } from '../../pictures.ts';
import type { Chat, VisionBackend, VisionCall } from '../backend.ts';
import { eventsOf } from '../events.ts';
import { createRecognitionCheck, type MeasuringDependencies, measure } from './facts.ts';
import { describe } from './words.ts';

/** What the describer works with. */
export interface DescriberDependencies extends Omit<MeasuringDependencies, 'canRecognise'> {
  readonly decoder: Decoder;
  /** Names the language of a text: ISO 639-1, or und. */
  readonly identify: (text: string) => string;
}

const MODEL: VisionModel = {
  id: 'limpede-describe-1',
  object: 'model',
  created: 0,
  owned_by: MODEL_OWNER,
  backend: 'describer',
};

/** Refuses requests that it could only answer with invented content: those without a picture or for structured output. */
function check({ request, pictures }: Chat): void {
  if (pictures.length === 0)
    throw errors.request_refused({ message: 'The describer describes pictures; this request holds none.' });
  const form = request.response_format as { readonly type?: unknown } | null | undefined;
  if (form !== null && form !== undefined && form.type !== 'text')
    throw errors.request_refused({ message: 'The describer gives no structured answers.' });
}

/** A text within the limit of the request, a word for a token, and why it ends. */
function within({ max_tokens: most }: ChatRequest, text: string) {
  const words = text.split(' ');
  if (most === null || most === undefined || words.length <= most)
    return { content: text, finish_reason: 'stop' };
  return { content: words.slice(0, most).join(' '), finish_reason: 'length' };
}

/** Sentences of an answer as the parts of a stream; joined they are the answer. */
const piecesOf = (text: string) => text.split(/(?<=[.:] )/);

/** Creates the backend that describes pictures by measurements alone, in the language of the question, and says that it is no model. */
export function createDescriber({ identify, ...tools }: DescriberDependencies): VisionBackend {
  const dependencies = { ...tools, canRecognise: createRecognitionCheck(tools.extractors) };
  const answer = async (chat: Chat, call: VisionCall): Promise<ChatResponse> => {
    check(chat);
    const facts = [];
    for (const picture of chat.pictures) facts.push(await measure(picture, dependencies, call));
    const language: Language = identify(questionOf(chat.request)) === 'ro' ? 'ro' : 'en';
    const { content, finish_reason } = within(chat.request, describe(facts, language).join(' '));
    return {
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: MODEL.id,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
      usage: null,
    };
  };
  return {
    name: 'describer',
    ...oneModel(() => MODEL),
    chat: answer,
    stream: async (chat, call) => {
      const events = [...eventsOf(await answer(chat, call), piecesOf)];
      return (async function* () {
        for (const event of events) yield Buffer.from(event);
      })();
    },
    complete: async () => {
      throw errors.not_supported();
    },
    probe: (signal) => dependencies.decoder.probe(signal),
    close: async () => dependencies.decoder.close(),
  };
}
