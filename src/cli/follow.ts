import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { parseEvents } from '../foundation/client/event-parser.ts';
import { sessionStatus } from '../services/analysis/resources/analysis-session.ts';
import { isFinal } from '../services/analysis/session/states.ts';
import { type Api, callJson, openEvents, pipelinePath } from './api.ts';
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

/** Says each new line of progress once. */
function onceEach(say: (line: string) => void): (line: string) => void {
  let last = '';
  return (line) => {
    if (line !== last) say(line);
    last = line;
  };
}

async function statusOf(api: Api, sessionId: string) {
  const path = pipelinePath(`sessions/${sessionId}/status`);
  return statusAnswer.parse(await callJson(api, 'GET', path)).data;
}

/** What a line says of one event; undefined when there is nothing to say. */
function lineOf(event: string, data: string, state: { done: number }, total: number): string | undefined {
  const parsed = progressData.safeParse(JSON.parse(data)).data;
  if (parsed === undefined) return undefined;
  const { component, status, message, stage } = parsed;
  const percent = () => `${Math.round((state.done / (total + 1)) * 100)}%`;
  switch (event) {
    case 'session.status':
      return status === 'completed' ? '100% completed' : `${percent()} ${status ?? ''}`.trim();
    case 'stage.started':
      return `${percent()} ${stage ?? ''}`.trim();
    case 'component.completed':
      state.done += 1;
      return `${percent()} ${component ?? ''} ${status === 'ran' ? '' : (status ?? '')}`.trim();
    case 'component.degraded':
      return message;
    default:
      return undefined;
  }
}

/** Reads events until the stream ends or breaks off; false when the platform has no events. */
async function readStream(
  api: Api,
  sessionId: string,
  from: { id: string | undefined; done: number },
  total: number,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const path = pipelinePath(`sessions/${sessionId}/events`);
    const stream = await openEvents(api, path, from.id, signal);
    if (stream === undefined) return false;
    for await (const { event, data, id } of parseEvents(stream, LONGEST_EVENT)) {
      from.id = id ?? from.id;
      const line = event === 'heartbeat' ? undefined : lineOf(event, data, from, total);
      if (line !== undefined) say(line);
    }
  } catch (error) {
    // A stream that breaks off is opened again after its last event.
    if (signal.aborted) return true;
    if (!(error instanceof Error)) throw error;
  }
  return true;
}

/** Follows a session to its end: by its events, else by looking at its status. `total` is the number of its components. */
export async function followSession(
  api: Api,
  sessionId: string,
  total: number,
  say: (line: string) => void,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const tell = onceEach(say);
  const from = { id: undefined, done: 0 };
  let streams = true;
  while (Date.now() < deadline) {
    streams = streams && (await readStream(api, sessionId, from, total, tell, signal));
    const { status, progress, stage, completed_components: completed } = await statusOf(api, sessionId);
    if (!streams) {
      tell(`${Math.round(progress * 100)}% ${[stage ?? status, completed.join(', ')].join(' ')}`.trim());
    }
    if (isFinal(status)) return;
    await pause(LOOK_MS);
  }
  throw new UserError(`the session ${sessionId} did not end within ${PATIENCE_MS / 1000} s`);
}
