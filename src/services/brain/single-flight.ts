/** Work that may wait in a queue; it calls `onStart` when it starts. */
type Work<Result> = (signal: AbortSignal, onStart: () => void) => Promise<Result>;

/** The caller of the work, and the signal that cancels its request. */
interface Requester {
  readonly caller: string;
  readonly signal: AbortSignal;
}

/** Runs the work of each key once at a time; requests that come meanwhile share its result. */
export interface SingleFlight<Result> {
  /**
   * Joins the running work of the key, or starts it. Work of another caller is joined only once it has started, so that no caller waits for
   * the queue of another. The work is canceled when all requests that wait for it are.
   */
  run(key: string, work: Work<Result>, asker: Requester): Promise<Result>;
  isRunning(key: string): boolean;
}

interface Flight<Result> {
  readonly result: Promise<Result>;
  readonly stop: AbortController;
  readonly caller: string;
  readonly hasStarted: boolean;
  waiting: number;
}

/** Creates a single flight without any running work. */
export function createSingleFlight<Result>(): SingleFlight<Result> {
  const flights = new Map<string, Flight<Result>>();
  const start = (key: string, work: Work<Result>, caller: string) => {
    const stop = new AbortController();
    let hasStarted = false;
    const onStart = () => {
      hasStarted = true;
    };
    const result = work(stop.signal, onStart).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    const flight: Flight<Result> = {
      result,
      stop,
      caller,
      get hasStarted() {
        return hasStarted;
      },
      waiting: 0,
    };
    // It may fail after the last request was canceled, when no request handles the rejection.
    result.catch(() => undefined);
    flights.set(key, flight);
    return flight;
  };
  return {
    isRunning: (key) => flights.has(key),
    run: async (key, work, { caller, signal }) => {
      signal.throwIfAborted();
      const current = flights.get(key);
      const canJoin = current !== undefined && (current.hasStarted || current.caller === caller);
      const flight = canJoin ? current : start(key, work, caller);
      flight.waiting++;
      let cancel: (() => void) | undefined;
      const canceled = new Promise<never>((_, reject) => {
        cancel = () => reject(signal.reason);
        signal.addEventListener('abort', cancel, { once: true });
      });
      try {
        return await Promise.race([flight.result, canceled]);
      } finally {
        if (cancel !== undefined) signal.removeEventListener('abort', cancel);
        flight.waiting--;
        if (flight.waiting === 0) {
          flight.stop.abort(new Error('everybody who waited has left'));
          if (flights.get(key) === flight) flights.delete(key);
        }
      }
    },
  };
}
