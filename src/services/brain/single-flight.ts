/** Work that may wait for its turn; it calls `begun` when that has come. */
type Work<Result> = (signal: AbortSignal, begun: () => void) => Promise<Result>;

/** Who asks for work. */
interface Asker {
  readonly caller: string;
  readonly signal: AbortSignal;
}

/** Work of which one piece for each key runs at a time: whoever asks meanwhile gets its result. */
export interface SingleFlight<Result> {
  /**
   * Joins the work of the key, or starts it. Work of another caller is joined once it has begun: nobody waits for the turns of somebody
   * else. The work ends early only when everybody who waits for it has left.
   */
  run(key: string, work: Work<Result>, asker: Asker): Promise<Result>;
  isRunning(key: string): boolean;
}

interface Flight<Result> {
  readonly result: Promise<Result>;
  readonly stop: AbortController;
  readonly caller: string;
  readonly hasBegun: boolean;
  waiting: number;
}

/** Makes a place where equal work is done once. */
export function createSingleFlight<Result>(): SingleFlight<Result> {
  const flights = new Map<string, Flight<Result>>();
  const start = (key: string, work: Work<Result>, caller: string) => {
    const stop = new AbortController();
    let hasBegun = false;
    const begun = () => {
      hasBegun = true;
    };
    const result = work(stop.signal, begun).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    const flight: Flight<Result> = {
      result,
      stop,
      caller,
      get hasBegun() {
        return hasBegun;
      },
      waiting: 0,
    };
    // Everybody may have left by the time that it fails.
    result.catch(() => undefined);
    flights.set(key, flight);
    return flight;
  };
  return {
    isRunning: (key) => flights.has(key),
    run: async (key, work, { caller, signal }) => {
      signal.throwIfAborted();
      const known = flights.get(key);
      const isOpen = known !== undefined && (known.hasBegun || known.caller === caller);
      const flight = isOpen ? known : start(key, work, caller);
      flight.waiting++;
      let leave: (() => void) | undefined;
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(signal.reason);
        signal.addEventListener('abort', leave, { once: true });
      });
      try {
        return await Promise.race([flight.result, left]);
      } finally {
        if (leave !== undefined) signal.removeEventListener('abort', leave);
        flight.waiting--;
        if (flight.waiting === 0) {
          flight.stop.abort(new Error('everybody who waited has left'));
          if (flights.get(key) === flight) flights.delete(key);
        }
      }
    },
  };
}
