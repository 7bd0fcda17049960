import { setTimeout as sleep } from 'node:timers/promises';
import { BackendRefusal, type ListedModel } from './backend.ts';
import type { ChatApi, JsonAnswer } from './chat-api.ts';

/** The servers whose models can be loaded and unloaded, each in its own way. */
type ServerKind = 'ollama' | 'llama' | 'vllm' | 'other';

/** A router of llama.cpp answers at once and loads behind; its list is asked this often, in milliseconds. */
const POLL_MS = 200;

function answered({ status }: JsonAnswer): boolean {
  return status >= 200 && status < 300;
}

/** The message of an error body, or its status. */
function reason(answer: JsonAnswer): string {
  const error = (answer.body as { error?: unknown } | undefined)?.error;
  if (typeof error === 'string') return error;
  const message = (error as { message?: unknown } | undefined)?.message;
  return typeof message === 'string' ? message : `the server answered ${answer.status}`;
}

function field(answer: JsonAnswer, name: string): unknown {
  return (answer.body as Record<string, unknown> | undefined | null)?.[name];
}

/** Loads and unloads models of a local server: Ollama, the router of llama.cpp, or vLLM with its sleep mode. */
export class ModelControl {
  private readonly api: ChatApi;

  constructor(api: ChatApi) {
    this.api = api;
  }

  /** The models; Ollama lists those in memory at another address. */
  async list(signal: AbortSignal): Promise<ListedModel[]> {
    const [models, running] = await Promise.all([this.api.list(signal), this.running(signal)]);
    if (running === undefined) return models;
    return models.map((model) => ({ ...model, loaded: running.has(model.id) }));
  }

  async load(model: string, signal: AbortSignal): Promise<string> {
    switch (await this.kind(signal)) {
      case 'ollama':
        return this.keepAlive(model, -1, signal);
      case 'llama':
        return this.route(model, true, signal);
      case 'vllm':
        return this.wake(model, signal);
      default:
        return this.confirmServed(model, signal);
    }
  }

  async unload(model: string, signal: AbortSignal): Promise<string> {
    switch (await this.kind(signal)) {
      case 'ollama':
        return this.keepAlive(model, 0, signal);
      case 'llama':
        return this.route(model, false, signal);
      case 'vllm':
        return this.putToSleep(model, signal);
      default:
        throw new BackendRefusal('invalid', `The ${this.api.name} server offers no way to unload a model.`);
    }
  }

  /** Asks each time: servers behind an address are exchanged, and loading is rare. */
  private async kind(signal: AbortSignal): Promise<ServerKind> {
    const [ollama, list, sleeping] = await Promise.all([
      this.api.json('GET', '/api/version', signal),
      this.api.json('GET', '/models', signal),
      this.api.json('GET', '/is_sleeping', signal),
    ]);
    if (answered(ollama) && typeof field(ollama, 'version') === 'string') return 'ollama';
    if (answered(sleeping) && typeof field(sleeping, 'is_sleeping') === 'boolean') return 'vllm';
    const data = field(list, 'data');
    const routed = Array.isArray(data) && data.some((entry) => 'status' in Object(entry));
    return routed ? 'llama' : 'other';
  }

  /** Ids of the models that Ollama holds in memory; undefined when the server is another. */
  private async running(signal: AbortSignal): Promise<Set<string> | undefined> {
    const answer = await this.api.json('GET', '/api/ps', signal);
    const models = field(answer, 'models');
    if (!answered(answer) || !Array.isArray(models)) return undefined;
    return new Set(models.map((entry) => String((entry as { model?: unknown })?.model ?? '')));
  }

  private async keepAlive(model: string, keep: 0 | -1, signal: AbortSignal): Promise<string> {
    const answer = await this.api.json('POST', '/api/generate', signal, { model, keep_alive: keep });
    if (!answered(answer)) throw new BackendRefusal('invalid', reason(answer));
    return keep === 0 ? `The model ${model} unloaded.` : `The model ${model} loaded.`;
  }

  private async route(model: string, load: boolean, signal: AbortSignal): Promise<string> {
    const known = (await this.api.list(signal)).find(({ id }) => id === model);
    if (known === undefined) throw unknown(model, this.api.name);
    if (known.loaded !== load) {
      const path = load ? '/models/load' : '/models/unload';
      const answer = await this.api.json('POST', path, signal, { model });
      if (!answered(answer)) throw new BackendRefusal('invalid', reason(answer));
      await this.until(model, load, signal);
    }
    return load ? `The model ${model} loaded.` : `The model ${model} unloaded.`;
  }

  private async until(model: string, loaded: boolean, signal: AbortSignal): Promise<void> {
    for (;;) {
      const answer = await this.api.json('GET', '/models', signal);
      const data = field(answer, 'data');
      const entries = Array.isArray(data)
        ? (data as { id?: unknown; status?: Record<string, unknown> }[])
        : [];
      const status = entries.find(({ id }) => id === model)?.status;
      if ((status?.value === 'loaded') === loaded && status?.value !== 'loading') return;
      if (status?.failed === true) throw new Error(`the server failed to load ${model}`);
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  private async wake(model: string, signal: AbortSignal): Promise<string> {
    await this.confirmServed(model, signal);
    const asleep = await this.api.json('GET', '/is_sleeping', signal);
    if (field(asleep, 'is_sleeping') === true) {
      const answer = await this.api.json('POST', '/wake_up', signal);
      if (!answered(answer)) throw new Error(reason(answer));
    }
    return `The model ${model} loaded.`;
  }

  private async putToSleep(model: string, signal: AbortSignal): Promise<string> {
    await this.confirmServed(model, signal);
    const answer = await this.api.json('POST', '/sleep?level=1', signal);
    if (!answered(answer)) throw new Error(reason(answer));
    return `The model ${model} unloaded.`;
  }

  /** A server that cannot load on demand has loaded what it lists. */
  private async confirmServed(model: string, signal: AbortSignal): Promise<string> {
    const models = await this.api.list(signal);
    if (!models.some(({ id }) => id === model)) throw unknown(model, this.api.name);
    return `The model ${model} is loaded.`;
  }
}

function unknown(model: string, backend: string): BackendRefusal {
  return new BackendRefusal('invalid', `The ${backend} server has no model ${model}.`);
}
