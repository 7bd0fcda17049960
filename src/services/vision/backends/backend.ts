import type { ModelBackend } from '../../../foundation/model-service/backends.ts';
import type { ChatRequest, ChatResponse, TextRequest, VisionModel } from '../contract.ts';
import type { RequestPicture } from '../pictures.ts';

/** The context of a request. */
export interface VisionCall {
  readonly caller: string;
  readonly correlationId: string;
  readonly signal: AbortSignal;
}

/** A chat for a model; its pictures are data addresses. */
export interface Chat {
  readonly model: string;
  readonly request: ChatRequest;
  /** In the order in which they stand in the chat. */
  readonly pictures: readonly RequestPicture[];
}

/** A model backend for chats with pictures. It throws failures of the error table. */
export interface VisionBackend extends ModelBackend<VisionModel> {
  chat(chat: Chat, call: VisionCall): Promise<ChatResponse>;
  /** The answer as events of the common convention; it throws before the first one, or says in an event how it failed. */
  stream(chat: Chat, call: VisionCall): Promise<AsyncIterable<Uint8Array>>;
  complete(model: string, request: TextRequest, call: VisionCall): Promise<object>;
}
