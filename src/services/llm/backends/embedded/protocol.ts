/** One message of a conversation, as text. */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  /** Tools that the assistant called then. */
  readonly calls: readonly PastCall[];
}

/** A tool call with its result. */
export interface PastCall {
  readonly name: string;
  readonly parameters: unknown;
  readonly result: string;
}

/** A tool that the model may call. */
export interface Tool {
  readonly name: string;
  readonly description: string | null;
  /** The JSON schema of its parameters. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
}

/** A call that the model asks for. */
export interface ToolCall {
  readonly name: string;
  /** The parameters as JSON. */
  readonly arguments: string;
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
        readonly tools: readonly Tool[];
        /** Whether it may call several tools at once. */
        readonly manyCalls: boolean;
      }
    | { readonly kind: 'text'; readonly prompt: string }
  );

/** What to load: the first message to an engine. */
export interface LoadCommand {
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

/** What the gateway sends to an engine. */
export type Command =
  | LoadCommand
  | { readonly type: 'run'; readonly id: number; readonly job: Job }
  | { readonly type: 'cancel'; readonly id: number };

/** Why a completion ended. */
export type FinishReason = 'stop' | 'length' | 'tool_calls';

/** What an engine sends to the gateway. Each run ends with one `ended` or `failed`. */
export type EngineEvent =
  | { readonly type: 'loaded'; readonly context: number }
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'started'; readonly id: number; readonly promptTokens: number }
  | { readonly type: 'text'; readonly id: number; readonly text: string; readonly thought: boolean }
  | {
      readonly type: 'ended';
      readonly id: number;
      readonly finish: FinishReason;
      readonly completionTokens: number;
      readonly calls: readonly ToolCall[];
    }
  | {
      readonly type: 'failed';
      readonly id: number;
      /** The request itself is invalid: it fits no context, or its schema cannot be followed. */
      readonly invalid: boolean;
      readonly message: string;
    };
