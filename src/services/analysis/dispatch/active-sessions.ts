import { randomUUID } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import type { Logger } from '../../../foundation/log.ts';
import { filterCanceled, leaseExpiry, renewLeases } from '../store/leases.ts';
import type { AnalysisTables } from '../store/tables.ts';

/** How long a direct form may be silent before its session is taken over. */
export const LEASE_MS = 15_000;
/** Leases are renewed three times in their length, so that two lost beats do no harm. */
const BEAT_MS = LEASE_MS / 3;

/** The channel that notifies every process of a canceled session. */
export const CANCEL_CHANNEL = 'limpede_cancel';

/** The work in this process, by session: its signal aborts in the turn in which the session is canceled. */
export interface ActiveSessions {
  /** The name under which this process holds leases. */
  readonly owner: string;
  /** Does work for a session with a signal that aborts when the session is canceled, or the caller's own signal does. */
  during<Result>(
    sessionId: string,
    work: (signal: AbortSignal) => Promise<Result>,
    own?: AbortSignal,
  ): Promise<Result>;
  /** When a lease taken now would end. */
  leaseEnd(): RawBuilder<Date>;
  /** Resolves when no work is left. */
  idle(): Promise<void>;
  /** Begins to renew leases and to listen for canceled sessions; the result ends both. */
  start(): Promise<() => Promise<void>>;
}

/** Keeps the running work of this process; `owner` names it to people; the suffix distinguishes it from an earlier process of the same name. */
export function createActiveSessions(database: Database, owner: string, log: Logger): ActiveSessions {
  const name = `${owner}:${randomUUID()}`;
  const active = new Map<string, Set<AbortController>>();
  const queries = database.kysely<AnalysisTables>();
  let waiting: (() => void)[] = [];

  const cancel = (sessionId: string) => {
    for (const controller of active.get(sessionId) ?? []) controller.abort();
  };

  /** A cancellation may have been missed while the connection was away: the table knows. */
  const catchUp = async () => {
    for (const sessionId of await filterCanceled(queries, [...active.keys()])) cancel(sessionId);
  };

  /** Leases of what runs here; and a look for canceled sessions, in case the connection that notifies of them is silently dead. */
  const beat = async () => {
    await renewLeases(queries, name, [...active.keys()], LEASE_MS);
    await catchUp();
  };

  const leave = (sessionId: string, controller: AbortController) => {
    const controllers = active.get(sessionId);
    controllers?.delete(controller);
    if (controllers?.size === 0) active.delete(sessionId);
    if (active.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  return {
    owner: name,
    leaseEnd: () => leaseExpiry(LEASE_MS),
    during: async (sessionId, work, own) => {
      const controller = new AbortController();
      const controllers = active.get(sessionId) ?? new Set();
      active.set(sessionId, controllers.add(controller));
      const abort = () => controller.abort(own?.reason);
      if (own?.aborted === true) abort();
      else own?.addEventListener('abort', abort, { once: true });
      try {
        return await work(controller.signal);
      } finally {
        own?.removeEventListener('abort', abort);
        leave(sessionId, controller);
      }
    },
    idle: () => (active.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    start: async () => {
      const unlisten = await database.listen(CANCEL_CHANNEL, (sessionId) => {
        if (sessionId !== '') cancel(sessionId);
        else catchUp().catch((error) => log.warn({ err: error }, 'canceled sessions could not be read'));
      });
      let beating = false;
      const timer = setInterval(() => {
        if (beating || active.size === 0) return;
        beating = true;
        beat()
          .catch((error) => log.warn({ err: error }, 'leases could not be renewed'))
          .finally(() => {
            beating = false;
          });
      }, BEAT_MS);
      return async () => {
        clearInterval(timer);
        await unlisten();
      };
    },
  };
}
