/** Work of which one piece for each key runs at a time: whoever asks meanwhile gets its result. */
export interface SingleFlight<Result> {
  /** Joins the work of the key, or starts it. The work ends early only when everybody who waits for it has left. */
  run(key: string, work: (signal: AbortSignal) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  isRunning(key: string): boolean;
}

interface Flight<Result> {
  readonly result: Promise<Result>;
  readonly stop: AbortController;
  waiting: number;
}

/** Makes a place where equal work is done once. */
export function createSingleFlight<Result>(): SingleFlight<Result> {
  const flights = new Map<string, Flight<Result>>();
  const start = (key: string, work: (signal: AbortSignal) => Promise<Result>) => {
    const stop = new AbortController();
    const result = work(stop.signal).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    const flight: Flight<Result> = { result, stop, waiting: 0 };
    // Everybody may have left by the time that it fails.
    result.catch(() => undefined);
    flights.set(key, flight);
    return flight;
  };
  return {
    isRunning: (key) => flights.has(key),
    run: async (key, work, signal) => {
      signal.throwIfAborted();
      const flight = flights.get(key) ?? start(key, work);
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
