import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import type { Logger } from '../../../foundation/log.ts';
import { newestEvents, readProgress, type StoredProgressEvent } from '../store/progress-events.ts';
import type { AnalysisTables } from '../store/tables.ts';

/** How long after one look at the sessions that are followed the next one comes, in milliseconds. */
const LOOK_MS = 250;

/** The events of sessions as they come, whichever process works on the session. */
export interface ProgressFeed {
  /**
   * The events of a session after one of them (0 for all), as they come. Ends after the last event of a session that is final
   * or deleted, and when the signal aborts.
   */
  follow(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<StoredProgressEvent>;
  close(): Promise<void>;
}

/** A session with followers: its events are read once for all of them. */
interface FollowedSession {
  readonly sessionId: string;
  readonly events: StoredProgressEvent[];
  /** Nothing will come after these events. */
  hasEnded: boolean;
  followers: number;
  /** Wakes those who wait for what comes next. */
  waiting: Set<() => void>;
  /** There may be more to read than what the reading under way sees. */
  isStale: boolean;
  reading: Promise<void> | undefined;
}

/** Reads what is new of a session, once at a time, and wakes its followers. */
async function refresh(queries: Kysely<AnalysisTables>, session: FollowedSession): Promise<void> {
  session.isStale = true;
  session.reading ??= (async () => {
    while (session.isStale) {
      session.isStale = false;
      const after = session.events.at(-1)?.id ?? 0;
      const { events, isLast } = await readProgress(queries, session.sessionId, after);
      session.events.push(...events);
      session.hasEnded = isLast;
      // A full page is not the last one.
      if (events.length > 0 && !isLast) session.isStale = true;
      for (const wake of session.waiting) wake();
    }
  })().finally(() => {
    session.reading = undefined;
  });
  return session.reading;
}

/** Resolves when a session has news, or the signal aborts. */
function news(session: FollowedSession, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      session.waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    session.waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
  });
}

/** The place of the first event after one of them. */
function placeAfter(events: readonly StoredProgressEvent[], after: number): number {
  const place = events.findIndex(({ id }) => id > after);
  return place === -1 ? events.length : place;
}

function followedSession(sessionId: string): FollowedSession {
  return {
    sessionId,
    events: [],
    hasEnded: false,
    followers: 0,
    waiting: new Set(),
    isStale: true,
    reading: undefined,
  };
}

/** The sessions with followers, by their ids. */
type Followed = Map<string, FollowedSession>;

function enter(followed: Followed, sessionId: string): FollowedSession {
  const session = followed.get(sessionId) ?? followedSession(sessionId);
  followed.set(sessionId, session);
  session.followers++;
  return session;
}

function leave(followed: Followed, session: FollowedSession): void {
  session.followers--;
  if (session.followers === 0) followed.delete(session.sessionId);
}

/** The events of one session for one follower. */
async function* eventsAfter(
  queries: Kysely<AnalysisTables>,
  session: FollowedSession,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StoredProgressEvent> {
  await refresh(queries, session);
  let place = placeAfter(session.events, after);
  while (!signal.aborted) {
    const event = session.events[place];
    if (event !== undefined) {
      place++;
      yield event;
    } else if (session.hasEnded) return;
    else await news(session, signal);
  }
}

/**
 * Follows sessions through the database: one statement looks at all of them, and each that has news is read once however many
 * follow it. Without followers the database is not asked. (Notifications of the database would come sooner, but they make all
 * transactions that send one wait for each other: decision 14.)
 */
export function createProgressFeed(database: Database, log: Logger): ProgressFeed {
  const queries = database.kysely<AnalysisTables>();
  const followed: Followed = new Map();
  const closing = new AbortController();
  let watching: Promise<void> | undefined;

  const look = async () => {
    const newest = await newestEvents(queries, [...followed.keys()]);
    const changed = [...followed.values()].filter(
      ({ sessionId, events }) => newest.get(sessionId) !== events.at(-1)?.id,
    );
    await Promise.all(changed.map((session) => refresh(queries, session)));
  };
  const watch = async () => {
    while (followed.size > 0 && !closing.signal.aborted) {
      await pause(LOOK_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      if (!closing.signal.aborted)
        await look().catch((error) => log.warn({ err: error }, 'followed sessions could not be looked at'));
    }
    watching = undefined;
  };

  return {
    async *follow(sessionId, after, signal) {
      const session = enter(followed, sessionId);
      watching ??= watch();
      try {
        yield* eventsAfter(queries, session, after, signal);
      } finally {
        leave(followed, session);
      }
    },
    close: async () => {
      closing.abort();
      await watching;
    },
  };
}
