/** The part of node-llama-cpp that is used. Its own types are absent where it is not installed. */
export interface LlamaBinding {
  getLlama(options: {
    gpu: false;
    build: 'never';
    skipDownload: true;
    progressLogs: false;
    logLevel: 'error';
    maxThreads: number;
  }): Promise<Llama>;
  resolveChatWrapper(model: LlamaModel): ChatWrapper;
  LlamaChat: new (options: { contextSequence: Sequence; chatWrapper: ChatWrapper }) => LlamaChat;
  LlamaCompletion: new (options: { contextSequence: Sequence }) => LlamaCompletion;
}

export interface Llama {
  loadModel(options: { modelPath: string }): Promise<LlamaModel>;
  createGrammarForJsonSchema(schema: unknown): Promise<Grammar>;
  getGrammarFor(name: 'json'): Promise<Grammar>;
}

export interface LlamaModel {
  readonly tokenizer: unknown;
  readonly tokens: { readonly shouldPrependBosToken: boolean };
  readonly trainContextSize: number;
  tokenize(text: string): number[];
  createContext(options: {
    sequences: number;
    contextSize: { max: number };
    threads: number;
  }): Promise<{ readonly contextSize: number; getSequence(): Sequence }>;
}

/** One text under way; what was read last stays in it, so that a conversation is not read anew at each turn. */
export interface Sequence {
  readonly contextSize: number;
  readonly tokenMeter: { readonly usedOutputTokens: number };
  clearHistory(): Promise<void>;
}

/** A compiled form that an answer must have. */
export type Grammar = { readonly grammar: string };

export type HistoryItem =
  | { readonly type: 'system' | 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: readonly (string | PastFunctionCall)[] };

/** A function call within a response, with its result. */
export interface PastFunctionCall {
  readonly type: 'functionCall';
  readonly name: string;
  readonly params: unknown;
  readonly result: string;
}

/** Functions that a model may call, by name. */
export type Functions = Readonly<
  Record<string, { readonly description?: string; readonly params?: Readonly<Record<string, unknown>> }>
>;

export interface ChatWrapper {
  generateContextState(options: {
    chatHistory: readonly HistoryItem[];
    availableFunctions?: Functions;
    documentFunctionParams: true;
  }): {
    readonly contextText: { tokenize(tokenizer: unknown): readonly number[] };
  };
}

/** Options that both ways of generating share. */
export interface GenerationOptions {
  readonly signal: AbortSignal;
  readonly stopOnAbortSignal: true;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly seed?: number;
  readonly repeatPenalty:
    | false
    | { penalty: 1; frequencyPenalty: number; presencePenalty: number; lastTokens: number };
}

interface ChatChunk {
  readonly type: 'segment' | undefined;
  readonly text: string;
}

interface Generated {
  readonly metadata: { readonly stopReason: string };
  readonly functionCalls?: readonly { readonly functionName: string; readonly params: unknown }[];
}

export interface LlamaChat {
  generateResponse(
    history: readonly HistoryItem[],
    options: GenerationOptions & {
      readonly grammar?: Grammar;
      readonly functions?: Functions;
      readonly documentFunctionParams?: true;
      readonly maxParallelFunctionCalls?: number;
      readonly budgets?: { readonly thoughtTokens: number };
      readonly onResponseChunk: (chunk: ChatChunk) => void;
    },
  ): Promise<Generated>;
  dispose(): void;
}

export interface LlamaCompletion {
  generateCompletionWithMeta(
    prompt: readonly number[] | string,
    options: GenerationOptions & {
      readonly disableContextShift: true;
      readonly onTextChunk: (text: string) => void;
    },
  ): Promise<Generated>;
  dispose(): void;
}
