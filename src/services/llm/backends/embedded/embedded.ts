import { randomUUID } from 'node:crypto';
import {
  type AnswerSink,
  type Backend,
  type BackendCall,
  BackendRefusal,
  type ListedModel,
} from '../backend.ts';
import { isInstalled } from './binding.ts';
import { BufferedTransfer } from './buffered-transfer.ts';
import { EngineFailure } from './engine.ts';
import { EnginePool, type Lease, type PoolOptions } from './engine-pool.ts';
import { type LocalModelFile, ModelFolder } from './model-folder.ts';
import type { Job } from './protocol.ts';
import {
  type Counts,
  callsDelta,
  chatEvent,
  chatReply,
  failureEvent,
  failureReply,
  type GeneratedText,
  type ReplyHead,
  STREAM_END,
  textReply,
  usageEvent,
} from './reply.ts';
import { RequestRefusal, readRequest } from './request.ts';

/** Where the embedded engine finds its parts, and how it is run. */
interface EmbeddedOptions extends PoolOptions {
  /** Folder of GGUF files. */
  readonly models: string;
}

/** No file of the folder has the name of the model: answered with 404, as model servers do. */
class UnknownModel extends Error {}

const ELSE = 'or name a model server by LLM_CPU_URL, LLM_GPU_URL or LLM_CLOUD_URL';

/** What the embedded engine lacks to answer; undefined when it lacks nothing. */
function missingPart({ binding, models }: Pick<EmbeddedOptions, 'binding' | 'models'>): string | undefined {
  if (!isInstalled(binding))
    return `The embedded llama.cpp is not installed: run \`limpede setup llama\`, ${ELSE}.`;
  if (!new ModelFolder(models).hasModels())
    return `The embedded llama.cpp has no model: put a GGUF file into the folder models below LIMPEDE_HOME, ${ELSE}.`;
  return undefined;
}

/** llama.cpp on this machine: GGUF files of a folder, each loaded into a process of its own. */
export function createEmbeddedBackend(options: EmbeddedOptions): Backend {
  const engine = new EmbeddedEngine(options);
  return {
    name: 'cpu',
    operations: new Set(['chat', 'complete']),
    get unavailable() {
      return engine.unavailable;
    },
    send: (call, receiver) => engine.send(call, receiver),
    list: () => engine.list(),
    load: (model, signal) => engine.load(model, signal),
    unload: (model) => engine.unload(model),
    probe: () => engine.probe(),
    close: () => engine.close(),
  };
}

class EmbeddedEngine {
  private readonly options: EmbeddedOptions;
  private readonly folder: ModelFolder;
  private readonly pool: EnginePool;

  constructor(options: EmbeddedOptions) {
    this.options = options;
    this.folder = new ModelFolder(options.models);
    this.pool = new EnginePool(options);
  }

  get unavailable(): string | undefined {
    return missingPart(this.options);
  }

  send(call: BackendCall, receiver: AnswerSink): BufferedTransfer {
    const transfer = new BufferedTransfer(receiver);
    // The port promises that the receiver is not called before this returns.
    setImmediate(() => void this.answer(call, transfer));
    return transfer;
  }

  async list(): Promise<ListedModel[]> {
    const models = await this.folder.list();
    return models.map(({ id, created, contextLength }) => ({
      id,
      created,
      owned_by: 'limpede',
      loaded: this.pool.isLoaded(id),
      context_length: contextLength,
      capabilities: ['chat', 'completion'],
    }));
  }

  async load(model: string, signal: AbortSignal): Promise<string> {
    const file = await this.known(model);
    try {
      await this.pool.load(model, file.path, signal);
    } catch (error) {
      if (error instanceof EngineFailure && error.invalid)
        throw new BackendRefusal('invalid', `The model ${model} cannot be loaded: ${error.message}`);
      throw error;
    }
    return `The model ${model} loaded.`;
  }

  async unload(model: string): Promise<string> {
    await this.known(model);
    const wasLoaded = await this.pool.unload(model, 'the model was unloaded');
    return wasLoaded ? `The model ${model} unloaded.` : `The model ${model} was not loaded.`;
  }

  async probe(): Promise<void> {
    const { unavailable } = this;
    if (unavailable !== undefined) throw new Error(unavailable);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private async known(model: string): Promise<LocalModelFile> {
    const { unavailable } = this;
    if (unavailable !== undefined) throw new BackendRefusal('invalid', unavailable);
    const file = await this.folder.find(model);
    if (file === undefined) throw new BackendRefusal('invalid', unknownModel(model));
    return file;
  }

  private async answer(call: BackendCall, transfer: BufferedTransfer): Promise<void> {
    let lease: Lease | undefined;
    try {
      const request = readRequest(call.operation, call.body);
      const file = await this.folder.find(request.model);
      if (file === undefined) throw new UnknownModel(unknownModel(request.model));
      lease = await this.pool.lease(file.id, file.path, transfer.signal);
      const head = {
        id: `${call.operation === 'chat' ? 'chatcmpl' : 'cmpl'}-${randomUUID()}`,
        created: Math.floor(Date.now() / 1000),
        model: request.model,
      };
      const [job] = request.jobs;
      if (call.stream && job !== undefined) await stream(lease, job, head, request.usage, transfer);
      else await whole(lease, request.jobs, head, transfer);
    } catch (error) {
      sendFailure(error, transfer, call.stream);
    } finally {
      lease?.release();
    }
  }
}

function unknownModel(model: string): string {
  return `The model ${model} is not in the folder models below LIMPEDE_HOME.`;
}

/** Runs the jobs side by side, as far as the engine does, and answers once. */
async function whole(
  lease: Lease,
  jobs: readonly Job[],
  head: ReplyHead,
  transfer: BufferedTransfer,
): Promise<void> {
  let promptTokens = 0;
  let completionTokens = 0;
  const run = async (job: Job): Promise<GeneratedText> => {
    let text = '';
    let thought = '';
    const listener = {
      started: (tokens: number) => {
        promptTokens += tokens;
      },
      text: (piece: string, isThought: boolean) => {
        if (isThought) thought += piece;
        else text += piece;
      },
    };
    const ending = await lease.engine.run(job, listener, transfer.signal);
    completionTokens += ending.completionTokens;
    return { text, thought, finish: ending.finish, calls: ending.calls };
  };
  const texts = await Promise.all(jobs.map(run));
  const counts: Counts = { promptTokens, completionTokens };
  const [first] = texts;
  const chat = jobs[0]?.kind === 'chat' && first !== undefined;
  transfer.begin(200, 'application/json');
  transfer.send(chat ? chatReply(head, first, counts) : textReply(head, texts, counts));
  transfer.end();
}

/** Runs a chat and sends each piece as it comes. */
async function stream(
  lease: Lease,
  job: Job,
  head: ReplyHead,
  usage: boolean,
  transfer: BufferedTransfer,
): Promise<void> {
  let promptTokens = 0;
  const open = () => {
    if (transfer.started) return;
    transfer.begin(200, 'text/event-stream');
    transfer.send(chatEvent(head, { role: 'assistant', content: '' }));
  };
  const listener = {
    started: (tokens: number) => {
      promptTokens = tokens;
    },
    text: (piece: string, isThought: boolean) => {
      open();
      transfer.send(chatEvent(head, isThought ? { reasoning_content: piece } : { content: piece }));
    },
  };
  const { finish, completionTokens, calls } = await lease.engine.run(job, listener, transfer.signal);
  open();
  if (calls.length > 0) transfer.send(chatEvent(head, callsDelta(calls)));
  transfer.send(chatEvent(head, {}, finish));
  if (usage) transfer.send(usageEvent(head, { promptTokens, completionTokens }));
  transfer.send(STREAM_END);
  transfer.end();
}

/** Sends a failure: as a status while nothing was sent, as an event after. An aborted transfer gets nothing. */
function sendFailure(error: unknown, transfer: BufferedTransfer, streamed: boolean): void {
  if (transfer.signal.aborted) return;
  const message = error instanceof Error ? error.message : String(error);
  const invalid = error instanceof RequestRefusal || (error instanceof EngineFailure && error.invalid);
  const type = invalid || error instanceof UnknownModel ? 'invalid_request_error' : 'api_error';
  if (transfer.started) {
    if (streamed) transfer.send(failureEvent(message, type));
  } else {
    transfer.begin(error instanceof UnknownModel ? 404 : invalid ? 400 : 500, 'application/json');
    transfer.send(failureReply(message, type));
  }
  transfer.end();
}
