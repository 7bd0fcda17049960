import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { parseEvents } from '../foundation/client/event-parser.ts';
import type { Language } from '../foundation/localized-text.ts';
import { sessionStatus } from '../services/analysis/resources/analysis-session.ts';
import { isFinal } from '../services/analysis/session/states.ts';
import { type Api, callJson, openEvents, pipelinePath } from './api.ts';
import { nameOf } from './labels.ts';
import { PROGRESS_LABELS } from './progress-labels.ts';
import { UserError } from './user-error.ts';

/** How often a session is looked at where it cannot be followed by events, in milliseconds. */
const LOOK_MS = 150;
/** Longest wait for a session, in milliseconds: that of a long video on a slow engine. */
const PATIENCE_MS = 1_200_000;
/** Largest event that is read, in UTF-16 units. */
const LONGEST_EVENT = 256 * 1024;

/** What the command line shows of an event; events of other forms are passed over. */
const progressData = z.looseObject({
  status: z.string().optional(),
  component: z.string().nullish(),
  message: z.string().optional(),
  message_ro: z.string().optional(),
  stage: z.string().optional(),
});

const statusAnswer = z.object({
  data: z.looseObject({
    status: sessionStatus,
    progress: z.number(),
    stage: z.string().nullable(),
    completed_components: z.array(z.string()),
  }),
});

/** Prints each new line of progress once. */
function onceEach(say: (line: string) => void): (line: string) => void {
  let last = '';
  return (line) => {
    if (line !== last) say(line);
    last = line;
  };
}

type Status = Awaited<ReturnType<typeof statusOf>>;

async function statusOf(api: Api, sessionId: string) {
  const path = pipelinePath(`sessions/${sessionId}/status`);
  return statusAnswer.parse(await callJson(api, 'GET', path)).data;
}

/** The words for a code in the language; a code of a newer platform stands as it is. */
const wordsOf = (labels: Readonly<Record<string, string>>, code: string | undefined) =>
  code === undefined ? '' : (labels[code] ?? code);

/** What the lines of a session need to know: its language, how many components it has and how many are done. */
interface Progress {
  readonly language: Language;
  readonly total: number;
  done: number;
}

/** What a line says of one event; undefined when there is nothing to say. */
function lineOf(event: string, data: string, progress: Progress): string | undefined {
  const parsed = progressData.safeParse(JSON.parse(data)).data;
  if (parsed === undefined) return undefined;
  const { component, status, stage } = parsed;
  const labels = PROGRESS_LABELS[progress.language];
  const line = (words: string) =>
    `${Math.round((progress.done / (progress.total + 1)) * 100)}% ${words}`.trim();
  switch (event) {
    case 'session.status':
      return status === 'completed'
        ? `100% ${labels.status.completed}`
        : line(wordsOf(labels.status, status));
    case 'stage.started':
      return line(wordsOf(labels.stage, stage));
    case 'component.completed': {
      progress.done += 1;
      const name = nameOf(component ?? '', progress.language);
      return line(status === 'ran' ? name : `${name}: ${wordsOf(labels.outcome, status)}`);
    }
    case 'component.degraded':
      return progress.language === 'ro' ? parsed.message_ro : parsed.message;
    default:
      return undefined;
  }
}

/** Reads events until the stream ends or breaks off; false when the platform has no events. */
async function readStream(
  api: Api,
  sessionId: string,
  from: Progress & { id: string | undefined },
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const path = pipelinePath(`sessions/${sessionId}/events`);
    const stream = await openEvents(api, path, from.id, signal);
    if (stream === undefined) return false;
    for await (const { event, data, id } of parseEvents(stream, LONGEST_EVENT)) {
      from.id = id ?? from.id;
      const line = event === 'heartbeat' ? undefined : lineOf(event, data, from);
      if (line !== undefined) say(line);
    }
  } catch (error) {
    // A stream that breaks off is opened again after its last event.
    if (signal.aborted) return true;
    if (!(error instanceof Error)) throw error;
  }
  return true;
}

/** The progress line of a session without events, from its status. */
function statusLine(
  { progress, stage, status, completed_components: completed }: Status,
  language: Language,
) {
  const labels = PROGRESS_LABELS[language];
  const names = completed.map((part) => nameOf(part, language)).join(', ');
  const now = stage === null ? labels.status[status] : nameOf(stage, language);
  return `${Math.round(progress * 100)}% ${now} ${names}`.trim();
}

/** Follows a session to its end: by its events, else by looking at its status. `total` is the number of its components. */
export async function followSession(
  api: Api,
  sessionId: string,
  total: number,
  say: (line: string) => void,
  language: Language = 'en',
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const tell = onceEach(say);
  const from = { id: undefined, done: 0, total, language };
  let streams = true;
  while (Date.now() < deadline) {
    streams = streams && (await readStream(api, sessionId, from, tell, signal));
    const status = await statusOf(api, sessionId);
    if (!streams) tell(statusLine(status, language));
    if (isFinal(status.status)) return;
    await pause(LOOK_MS);
  }
  throw new UserError(`the session ${sessionId} did not end within ${PATIENCE_MS / 1000} s`);
}
