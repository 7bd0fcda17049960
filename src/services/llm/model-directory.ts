import type { Backend, ListedModel } from './backends/backend.ts';
import { BACKENDS, type BackendName, type Model } from './contract.ts';

/** Longest time that a server may take to list its models, in milliseconds. */
const LIST_LIMIT_MS = 5000;
/** A list that was just read, or just failed, is not read again within this many milliseconds, whoever asks. */
const SHORTEST_AGE_MS = 1000;
/** Requests for models that nobody lists make the lists be read at most this often, in milliseconds. */
const UNKNOWN_MS = 5000;
/** The first request of a process waits this long for the lists that tell where its model is. */
const FIRST_WAIT_MS = 2000;

/** What is known of one backend. */
interface Known {
  readonly backend: Backend;
  models: readonly ListedModel[];
  ids: ReadonlySet<string>;
  /** When the list was last asked for, on the clock of performance.now(). */
  askedAt: number;
  /** Why the last asking failed; null when it did not. */
  problem: string | null;
  asking: Promise<void> | undefined;
  /** Whether an asking ever ended, well or not. */
  answered: boolean;
}

/** Whether a backend works, and if not why. */
export interface BackendHealth {
  readonly name: BackendName;
  readonly healthy: boolean;
  readonly message: string | null;
}

/** Knows which backend has which models. Lists are read in the background; a failed reading keeps the last list. */
export class ModelDirectory {
  private readonly known: Known[];
  private readonly refreshMs: number;
  private readonly timer: NodeJS.Timeout;
  private readonly closing = new AbortController();
  private first: Promise<unknown> | undefined;
  private unknownUntil = 0;

  constructor(backends: readonly Backend[], refreshMs: number) {
    this.refreshMs = refreshMs;
    this.known = backends.map((backend) => ({
      backend,
      models: [],
      ids: new Set<string>(),
      askedAt: Number.NEGATIVE_INFINITY,
      problem: backend.unavailable ?? null,
      asking: undefined,
      answered: false,
    }));
    this.first = this.refresh(SHORTEST_AGE_MS).then(() => {
      this.first = undefined;
    });
    this.timer = setInterval(() => void this.refresh(this.refreshMs / 2), refreshMs);
    this.timer.unref();
  }

  /** Ends once the lists were read for the first time, or after two seconds; undefined when they are there. */
  ready(): Promise<unknown> | undefined {
    if (this.first === undefined) return undefined;
    const { promise, resolve } = deferred();
    const timer = setTimeout(resolve, FIRST_WAIT_MS);
    void this.first.then(() => {
      clearTimeout(timer);
      resolve();
    });
    return promise;
  }

  /** The backend that lists a model: `preferred` before the others. An unknown model makes the lists be read anew. */
  find(model: string, preferred: BackendName | undefined): BackendName | undefined {
    let found: BackendName | undefined;
    for (const { backend, ids } of this.known) {
      if (!ids.has(model)) continue;
      if (backend.name === preferred) return preferred;
      if (found === undefined || BACKENDS.indexOf(backend.name) < BACKENDS.indexOf(found))
        found = backend.name;
    }
    if (found === undefined) this.askAgain();
    return found;
  }

  /** A model that nobody lists may be new: the lists are read anew, but not for every request that names it. */
  private askAgain(): void {
    const now = performance.now();
    if (now < this.unknownUntil) return;
    this.unknownUntil = now + UNKNOWN_MS;
    void this.refresh(SHORTEST_AGE_MS);
  }

  /** The first model of a backend. */
  firstOf(name: BackendName): string | undefined {
    return this.known.find(({ backend }) => backend.name === name)?.models[0]?.id;
  }

  /**
   * The models of all backends, or of one. Lists older than the refresh time are read anew beside the answer; one that was
   * never read is waited for. So a backend that hangs holds up the first answer at most.
   */
  async list(only: BackendName | undefined): Promise<Model[]> {
    const wanted = this.wanted(only);
    await Promise.all(
      wanted.map((entry) => (entry.answered ? void this.read(entry, this.refreshMs) : this.read(entry, 0))),
    );
    return wanted.flatMap(({ backend, models }) =>
      models.map((model): Model => ({ ...model, object: 'model', backend: backend.name })),
    );
  }

  /** Reads the list of one backend anew, as after a change of it. */
  async renew(name: BackendName): Promise<void> {
    await Promise.all(this.wanted(name).map((entry) => this.read(entry, 0)));
  }

  /** Whether each backend, or one, works, asked within the last second. */
  async health(only?: BackendName): Promise<BackendHealth[]> {
    const wanted = this.wanted(only);
    await Promise.all(wanted.map((entry) => this.read(entry, SHORTEST_AGE_MS)));
    return wanted.map(({ backend, problem }) => ({
      name: backend.name,
      healthy: problem === null,
      message: problem,
    }));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.closing.abort();
    await Promise.all(this.known.map(({ asking }) => asking));
  }

  private wanted(only: BackendName | undefined): Known[] {
    return this.known.filter(({ backend }) => only === undefined || backend.name === only);
  }

  /** Reads the lists that are older than `ageMs`. */
  private async refresh(ageMs: number): Promise<void> {
    await Promise.all(this.known.map((entry) => this.read(entry, ageMs)));
  }

  /** Reads one list when it is older than `ageMs`; ends with the reading that is under way, if any. */
  private read(entry: Known, ageMs: number): Promise<void> | undefined {
    const now = performance.now();
    if (entry.asking === undefined && now - entry.askedAt >= ageMs) {
      entry.askedAt = now;
      entry.asking = this.ask(entry).finally(() => {
        entry.answered = true;
        entry.asking = undefined;
      });
    }
    return entry.asking;
  }

  private async ask(entry: Known): Promise<void> {
    const { unavailable } = entry.backend;
    if (unavailable !== undefined) {
      entry.models = [];
      entry.ids = new Set();
      entry.problem = unavailable;
      return;
    }
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(LIST_LIMIT_MS)]);
    try {
      const models = await entry.backend.list(signal);
      entry.models = models;
      entry.ids = new Set(models.map(({ id }) => id));
      entry.problem = null;
    } catch (error) {
      entry.problem = reason(error);
    }
  }
}

/** Reasons by the code of the error: its own text may name addresses of the inside. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  ETIMEDOUT: 'the connection was not made in time',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not made in time',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is shorter than announced',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too large',
};

/** A short reason for people. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  const code = String((error as { code?: unknown }).code ?? '');
  if (Object.hasOwn(REASONS, code)) return REASONS[code] ?? code;
  // Certificates and protocol: the code says it, the text repeats names and bytes.
  if (/^(ERR_|CERT_|HPE_|UND_ERR_|DEPTH_|SELF_|UNABLE_)/.test(code)) return code;
  return error.message !== '' ? error.message : code || error.name;
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
