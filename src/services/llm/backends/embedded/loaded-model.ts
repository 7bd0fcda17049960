import { pathToFileURL } from 'node:url';
import { bindingEntry } from './binding.ts';
import { chatHistory, functionsOf } from './chat-history.ts';
import type {
  ChatWrapper,
  GenerationOptions,
  Grammar,
  Llama,
  LlamaBinding,
  LlamaModel,
  Sequence,
} from './llama-binding.ts';
import type { AnswerForm, FinishReason, Job, LoadCommand, Sampling, Tool, ToolCall } from './protocol.ts';
import { StopSequences } from './stop-sequences.ts';

/** The request caused the failure, not the engine. */
export class InvalidJob extends Error {}

/** Follows a completion. */
export interface RunListener {
  started(promptTokens: number): void;
  text(text: string, thought: boolean): void;
}

/** How a completion ended. */
export interface CompletionEnding {
  readonly finish: FinishReason;
  readonly completionTokens: number;
  readonly calls: readonly ToolCall[];
}

/** Why the binding stopped, and the tools that the model wants called. */
interface Stop {
  readonly reason: string;
  readonly calls: readonly ToolCall[];
}

/** Places of the context that the binding keeps for itself; a text that fills the rest would be cut at its front. */
const SPARE_TOKENS = 8;
/** Seeds of the engine have 32 bits. */
const SEEDS = 2 ** 32;

function generationOptions(job: Sampling, room: number, signal: AbortSignal): GenerationOptions {
  const { temperature, topP, topK, minP, seed, frequencyPenalty, presencePenalty } = job;
  const maxTokens = Math.min(job.maxTokens ?? room, room);
  const penalised = frequencyPenalty !== 0 || presencePenalty !== 0;
  return {
    signal,
    stopOnAbortSignal: true,
    maxTokens,
    temperature,
    ...(topP !== null && { topP }),
    ...(topK !== null && { topK }),
    ...(minP !== null && { minP }),
    ...(seed !== null && { seed: ((seed % SEEDS) + SEEDS) % SEEDS }),
    // The binding penalises repetition by default and looks back 64 tokens; callers get what they asked for, over all of the answer.
    repeatPenalty: penalised
      ? { penalty: 1, frequencyPenalty, presencePenalty, lastTokens: maxTokens }
      : false,
  };
}

/** A model in memory with as many texts side by side as it was loaded for. */
export class LoadedModel {
  readonly context: number;
  private readonly binding: LlamaBinding;
  private readonly llama: Llama;
  private readonly model: LlamaModel;
  private readonly wrapper: ChatWrapper;
  private readonly free: Sequence[];

  private constructor(
    binding: LlamaBinding,
    llama: Llama,
    model: LlamaModel,
    sequences: Sequence[],
    context: number,
  ) {
    this.binding = binding;
    this.llama = llama;
    this.model = model;
    this.free = sequences;
    this.context = context;
    // The template of the file, else one for its family, else a plain one.
    this.wrapper = binding.resolveChatWrapper(model);
  }

  static async load({
    binding: folder,
    file,
    context,
    parallel,
    threads,
  }: LoadCommand): Promise<LoadedModel> {
    const binding: LlamaBinding = await import(pathToFileURL(bindingEntry(folder)).href);
    const llama = await binding.getLlama({
      gpu: false,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      logLevel: 'error',
      maxThreads: threads,
    });
    const model = await llama.loadModel({ modelPath: file });
    const max = Math.min(context, model.trainContextSize);
    const created = await model.createContext({ sequences: parallel, contextSize: { max }, threads });
    const sequences = Array.from({ length: parallel }, () => created.getSequence());
    return new LoadedModel(binding, llama, model, sequences, created.contextSize);
  }

  /** Runs one completion. An aborted one ends like a finished one. */
  async run(job: Job, listener: RunListener, signal: AbortSignal): Promise<CompletionEnding> {
    const sequence = this.free.pop();
    if (sequence === undefined) throw new Error('the engine was asked for more than it can do at once');
    // The binding could stop at these itself, but then leaves special tokens in the text before them.
    const stop = new StopSequences(job.stop);
    const cut = new AbortController();
    const text = (piece: string, thought: boolean) => {
      const out = thought ? piece : stop.push(piece);
      if (out !== '') listener.text(out, thought);
      if (stop.hit) cut.abort();
    };
    const cutting: RunListener = { started: (tokens) => listener.started(tokens), text };
    const either = AbortSignal.any([signal, cut.signal]);
    try {
      const before = sequence.tokenMeter.usedOutputTokens;
      const { reason, calls } =
        job.kind === 'chat'
          ? await this.chat(sequence, job, cutting, either)
          : await this.complete(sequence, job, cutting, either);
      const remainder = stop.flush();
      if (remainder !== '') listener.text(remainder, false);
      return {
        finish: calls.length > 0 ? 'tool_calls' : reason === 'maxTokens' && !stop.hit ? 'length' : 'stop',
        completionTokens: sequence.tokenMeter.usedOutputTokens - before,
        calls,
      };
    } catch (error) {
      // What a failed run left in the sequence is unknown.
      await sequence.clearHistory();
      throw error;
    } finally {
      this.free.push(sequence);
    }
  }

  private async chat(
    sequence: Sequence,
    job: Job & { kind: 'chat' },
    listener: RunListener,
    signal: AbortSignal,
  ): Promise<Stop> {
    const history = chatHistory(job.turns);
    const functions = functionsOf(job.tools);
    const offered = functions !== undefined && { availableFunctions: functions };
    const { contextText } = this.wrapper.generateContextState({
      chatHistory: history,
      documentFunctionParams: true,
      ...offered,
    });
    const room = this.begin(contextText.tokenize(this.model.tokenizer).length, listener);
    await this.checkTools(job.tools);
    const grammar = job.form === null ? undefined : await this.grammar(job.form);
    const chat = new this.binding.LlamaChat({ contextSequence: sequence, chatWrapper: this.wrapper });
    try {
      const { metadata, functionCalls = [] } = await chat.generateResponse(history, {
        ...generationOptions(job, room, signal),
        ...(grammar !== undefined && { grammar }),
        ...(functions !== undefined && { functions, documentFunctionParams: true }),
        ...(functions !== undefined && !job.manyCalls && { maxParallelFunctionCalls: 1 }),
        ...(job.thinking === false && { budgets: { thoughtTokens: 0 } }),
        onResponseChunk: ({ type, text }) => listener.text(text, type === 'segment'),
      });
      const calls = functionCalls.map(({ functionName, params }) => ({
        name: functionName,
        arguments: JSON.stringify(params ?? {}),
      }));
      return { reason: metadata.stopReason, calls };
    } finally {
      chat.dispose();
    }
  }

  private async complete(
    sequence: Sequence,
    job: Job & { kind: 'text' },
    listener: RunListener,
    signal: AbortSignal,
  ): Promise<Stop> {
    const tokens = this.model.tokenize(job.prompt);
    const beginning = this.model.tokens.shouldPrependBosToken ? 1 : 0;
    const room = this.begin(tokens.length + beginning, listener);
    const completion = new this.binding.LlamaCompletion({ contextSequence: sequence });
    try {
      const { metadata } = await completion.generateCompletionWithMeta(tokens, {
        ...generationOptions(job, room, signal),
        disableContextShift: true,
        onTextChunk: (text) => listener.text(text, false),
      });
      return { reason: metadata.stopReason, calls: [] };
    } finally {
      completion.dispose();
    }
  }

  /** Reports the length of the prompt, and returns how many tokens may follow it. */
  private begin(promptTokens: number, listener: RunListener): number {
    const room = this.context - promptTokens - SPARE_TOKENS;
    if (room < 1)
      throw new InvalidJob(
        `The prompt has ${promptTokens} tokens; the context of this model holds ${this.context - SPARE_TOKENS}.`,
      );
    listener.started(promptTokens);
    return room;
  }

  private async grammar(form: AnswerForm): Promise<Grammar> {
    if (form === 'json') return this.llama.getGrammarFor('json');
    return this.schema(form.schema, 'response_format');
  }

  /** Refuses schemas that cannot be followed before anything is generated. */
  private async checkTools(tools: readonly Tool[]): Promise<void> {
    for (const { name, parameters } of tools)
      if (parameters !== null) await this.schema(parameters, `the tool ${name}`);
  }

  private async schema(schema: Readonly<Record<string, unknown>>, owner: string): Promise<Grammar> {
    try {
      return await this.llama.createGrammarForJsonSchema(schema);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new InvalidJob(`The JSON schema of ${owner} cannot be followed: ${reason}`);
    }
  }
}
