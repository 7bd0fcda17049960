import { withDeadline } from '../../../foundation/deadline.ts';
import type { Probeable } from '../../../foundation/health.ts';
import { BACKENDS, type BackendName, type Model } from '../contract.ts';
import type { Backend, ListedModel } from './backend.ts';
import { errorReason } from './error-reason.ts';

/** Longest time that a server may take to list its models, in milliseconds. */
const LIST_LIMIT_MS = 5000;
/** Milliseconds within which a list that was just read, or just failed, is not read again. */
const SHORTEST_AGE_MS = 1000;
/** Requests for unlisted models trigger a new read of the lists at most once per this many milliseconds. */
const UNKNOWN_MS = 5000;
/** The first request of a process waits this long for the lists that say where its model is. */
const FIRST_WAIT_MS = 2000;

/** One backend with the models that it lists. */
interface ListedBackend {
  readonly backend: Backend;
  models: readonly ListedModel[];
  ids: ReadonlySet<string>;
  /** When the list was last read, on the clock of performance.now(). */
  requestedAt: number;
  /** Why the last reading failed; null when it did not. */
  problem: string | null;
  reading: Promise<void> | undefined;
  /** Whether a reading ever ended, well or not. */
  wasRead: boolean;
}

/** Which backend has which models. Lists are read in the background; a failed reading keeps the last list. */
export class ModelRegistry {
  private readonly backends: ListedBackend[];
  private readonly refreshMs: number;
  private readonly timer: NodeJS.Timeout;
  private readonly closing = new AbortController();
  private first: Promise<unknown> | undefined;
  private unknownUntil = 0;

  constructor(backends: readonly Backend[], refreshMs: number) {
    this.refreshMs = refreshMs;
    this.backends = backends.map((backend) => ({
      backend,
      models: [],
      ids: new Set<string>(),
      requestedAt: Number.NEGATIVE_INFINITY,
      problem: backend.unavailable ?? null,
      reading: undefined,
      wasRead: false,
    }));
    this.first = this.refresh(SHORTEST_AGE_MS).then(() => {
      this.first = undefined;
    });
    this.timer = setInterval(() => void this.refresh(this.refreshMs / 2), refreshMs);
    this.timer.unref();
  }

  /** Ends once the lists were read for the first time, or after two seconds; undefined when they are there. */
  ready(): Promise<void> | undefined {
    if (this.first === undefined) return undefined;
    const { first } = this;
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, FIRST_WAIT_MS);
      void first.then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** The backend that lists a model: `preferred` before the others. An unknown model makes the lists be read anew. */
  find(model: string, preferred: BackendName | undefined): BackendName | undefined {
    let best: BackendName | undefined;
    for (const { backend, ids } of this.backends) {
      if (!ids.has(model)) continue;
      if (backend.name === preferred) return preferred;
      if (best === undefined || BACKENDS.indexOf(backend.name) < BACKENDS.indexOf(best)) best = backend.name;
    }
    if (best === undefined) this.readAgain();
    return best;
  }

  /** An unlisted model may be new: the lists are read again, but not for every request that names it. */
  private readAgain(): void {
    const now = performance.now();
    if (now < this.unknownUntil) return;
    this.unknownUntil = now + UNKNOWN_MS;
    void this.refresh(SHORTEST_AGE_MS);
  }

  /** The first model of a backend. */
  firstOf(name: BackendName): string | undefined {
    return this.backends.find(({ backend }) => backend.name === name)?.models[0]?.id;
  }

  /**
   * The models of all backends, or of one. Lists older than the refresh time are read anew beside the answer; one that was
   * never read is waited for. So a backend that hangs holds up the first answer at most.
   */
  async list(only: BackendName | undefined): Promise<Model[]> {
    const entries = this.entries(only);
    await Promise.all(
      entries.map((entry) => (entry.wasRead ? void this.read(entry, this.refreshMs) : this.read(entry, 0))),
    );
    return entries.flatMap(({ backend, models }) =>
      models.map((model): Model => ({ ...model, object: 'model', backend: backend.name })),
    );
  }

  /** Reads the list of one backend anew, as after a change of it. */
  async renew(name: BackendName): Promise<void> {
    await Promise.all(this.entries(name).map((entry) => this.read(entry, 0)));
  }

  /** One backend as a part of the health of the service: works when its list could be read within the last second. */
  part(name: BackendName): Probeable {
    return {
      probe: async () => {
        const [entry] = this.entries(name);
        if (entry === undefined) throw new Error(`the ${name} backend is not configured`);
        await this.read(entry, SHORTEST_AGE_MS);
        if (entry.problem !== null) throw new Error(entry.problem);
      },
    };
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.closing.abort();
    await Promise.all(this.backends.map(({ reading }) => reading));
  }

  private entries(only: BackendName | undefined): ListedBackend[] {
    return this.backends.filter(({ backend }) => only === undefined || backend.name === only);
  }

  /** Reads the lists that are older than `ageMs`. */
  private async refresh(ageMs: number): Promise<void> {
    await Promise.all(this.backends.map((entry) => this.read(entry, ageMs)));
  }

  /** Reads one list when it is older than `ageMs`; ends with the reading that is under way, if any. */
  private read(entry: ListedBackend, ageMs: number): Promise<void> | undefined {
    const now = performance.now();
    if (entry.reading === undefined && now - entry.requestedAt >= ageMs) {
      entry.requestedAt = now;
      entry.reading = this.readList(entry).finally(() => {
        entry.wasRead = true;
        entry.reading = undefined;
      });
    }
    return entry.reading;
  }

  private async readList(entry: ListedBackend): Promise<void> {
    const { unavailable } = entry.backend;
    if (unavailable !== undefined) {
      entry.models = [];
      entry.ids = new Set();
      entry.problem = unavailable;
      return;
    }
    try {
      const models = await withDeadline(LIST_LIMIT_MS, this.closing.signal, (signal) =>
        entry.backend.list(signal),
      );
      entry.models = models;
      entry.ids = new Set(models.map(({ id }) => id));
      entry.problem = null;
    } catch (error) {
      entry.problem = errorReason(error);
    }
  }
}
