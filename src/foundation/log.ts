import { type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

/** A structured logger: one JSON line per event on standard error; standard output is for results of commands. */
export function createLog(options: { level: string; name: string }): Logger {
  return pino(
    {
      level: options.level,
      base: { name: options.name },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['authorization', 'headers.authorization', 'headers["x-api-key"]', 'token', 'password'],
    },
    pino.destination({ fd: 2, sync: false }),
  );
}
