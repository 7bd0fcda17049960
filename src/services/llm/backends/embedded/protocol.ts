/** One message of a conversation, as text. */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
}

/** How tokens are chosen, and when to stop. Null: the engine's own default. */
export interface Sampling {
  readonly maxTokens: number | null;
  readonly temperature: number;
  readonly topP: number | null;
  readonly topK: number | null;
  readonly minP: number | null;
  readonly seed: number | null;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  readonly stop: readonly string[];
}

/** The form that an answer must have: any JSON, or JSON by a schema. */
export type AnswerForm = 'json' | { readonly schema: Readonly<Record<string, unknown>> };

/** One completion, as the engine is asked for it. */
export type Job = Sampling &
  (
    | {
        readonly kind: 'chat';
        readonly turns: readonly Turn[];
        /** Whether the model may reason before it answers; null leaves it to the model. */
        readonly thinking: boolean | null;
        readonly form: AnswerForm | null;
      }
    | { readonly kind: 'text'; readonly prompt: string }
  );

/** What to load: the first message to an engine. */
export interface LoadOrder {
  readonly type: 'load';
  /** Folder whose node_modules hold the binding. */
  readonly binding: string;
  readonly file: string;
  /** Longest context in tokens; the model's own and the memory may allow less. */
  readonly context: number;
  /** Completions that run side by side. */
  readonly parallel: number;
  /** Threads for all of them; 0: as many as the machine has cores. */
  readonly threads: number;
}

/** What the gateway tells an engine. */
export type Order =
  | LoadOrder
  | { readonly type: 'run'; readonly id: number; readonly job: Job }
  | { readonly type: 'cancel'; readonly id: number };

/** Why a completion ended. */
export type Finish = 'stop' | 'length';

/** What an engine tells the gateway. Each run ends with one `ended` or `failed`. */
export type Report =
  | { readonly type: 'loaded'; readonly context: number }
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'began'; readonly id: number; readonly promptTokens: number }
  | { readonly type: 'text'; readonly id: number; readonly text: string; readonly thought: boolean }
  | {
      readonly type: 'ended';
      readonly id: number;
      readonly finish: Finish;
      readonly completionTokens: number;
    }
  | {
      readonly type: 'failed';
      readonly id: number;
      /** The request itself is at fault: it fits no context, or its schema cannot be followed. */
      readonly invalid: boolean;
      readonly message: string;
    };
