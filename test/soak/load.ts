import type { Campaign } from '../campaign.ts';
import type { talkTo } from '../running-platform.ts';

const PIPELINE = '/api/v3/pipeline';
/** Longest time that a listener waits for the end of its session, in milliseconds. */
const LISTEN_MS = 60_000;

const FINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);

/** What a soak does to the platform, and what it came to. */
export interface Tally {
  /** Sessions that were made, and of them those that were deleted again. */
  sessions: number;
  deleted: number;
  /** Answers that asked to retry later: 429 and 503 with Retry-After. */
  turnedAway: number;
  /** Clients that left before their answer. */
  left: number;
  readonly done: Record<string, number>;
  /** What should not have been: the first of them, in words. */
  readonly problems: string[];
}

type Talk = ReturnType<typeof talkTo>;
type Answer = Awaited<ReturnType<Talk['ask']>>;

/** What one step of the load needs. */
interface Load {
  readonly talk: Talk;
  readonly token: string;
  readonly campaign: Campaign;
  readonly pages: string;
  readonly tally: Tally;
}

type Step = (load: Load) => Promise<void>;

function textOf({ campaign, tally }: Load): string {
  const number = `${tally.sessions}-${campaign.integer(1, 1_000_000)}`;
  const text = `Story ${number}: doctors HIDE the truth about item ${number}. Share it before it is deleted! `;
  return text.repeat(campaign.integer(1, 40));
}

/** Whether an answer is one of the wanted; being asked to retry later is counted, anything else is a problem. */
function accept(
  { tally }: Load,
  what: string,
  { status, headers, text }: Answer,
  ...wanted: number[]
): boolean {
  if (wanted.includes(status)) return true;
  if ((status === 503 || status === 429) && headers.has('retry-after')) tally.turnedAway += 1;
  else tally.problems.push(`${what}: ${status} ${text.slice(0, 300)}`);
  return false;
}

const remove = async (load: Load, sessionId: string): Promise<void> => {
  const { talk, token, tally } = load;
  const answer = await talk.ask(`${PIPELINE}/sessions/${sessionId}`, { method: 'DELETE', token });
  if (accept(load, 'delete', answer, 200)) tally.deleted += 1;
};

const analyze = async (load: Load, body: object): Promise<void> => {
  const { talk, token, tally } = load;
  const answer = await talk.ask(`${PIPELINE}/analyze`, { token, body });
  if (!accept(load, 'analyze', answer, 200)) return;
  tally.sessions += 1;
  if (answer.body.data.status !== 'completed') tally.problems.push(`analyze: ${answer.body.data.status}`);
  await remove(load, answer.body.data.session_id);
};

/** The events of a session until its end; a line that breaks is taken up again, as readers do. */
async function follow({ talk, token }: Load, sessionId: string): Promise<string> {
  const end = Date.now() + LISTEN_MS;
  let heard = '';
  while (Date.now() < end) {
    const [last] = [...heard.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id).slice(-1);
    const response = await fetch(`${talk.outside}${PIPELINE}/sessions/${sessionId}/events`, {
      headers: { authorization: `Bearer ${token}`, ...(last !== undefined && { 'last-event-id': last }) },
      signal: AbortSignal.timeout(LISTEN_MS),
    });
    heard += await response.text().catch(() => '');
    if (/"status":"(completed|canceled|failed)"/.test(heard)) return heard;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return heard;
}

const queued = async (load: Load, cancel: boolean): Promise<void> => {
  const { talk, token, tally } = load;
  const body = { media_type: 'text', text: textOf(load) };
  const accepted = await talk.ask(`${PIPELINE}/analyze-async`, { token, body });
  if (!accept(load, 'analyze-async', accepted, 202)) return;
  tally.sessions += 1;
  const { session_id: sessionId } = accepted.body.data;
  if (cancel) {
    const answer = await talk.ask(`${PIPELINE}/sessions/${sessionId}/cancel`, { token, body: {} });
    accept(load, 'cancel', answer, 200, 409);
  }
  const heard = await follow(load, sessionId);
  if (!/"status":"(completed|canceled)"/.test(heard))
    tally.problems.push(`async ended with ${heard.slice(-300)}`);
  await remove(load, sessionId);
};

/** Leaves in the middle of a request. */
const leave: Step = async ({ talk, token, campaign, tally, ...rest }) => {
  const body = JSON.stringify({
    media_type: 'text',
    text: textOf({ talk, token, campaign, tally, ...rest }),
  });
  const signal = AbortSignal.timeout(campaign.integer(1, 60));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await fetch(`${talk.outside}${PIPELINE}/analyze`, { method: 'POST', headers, body, signal })
    .then((response) => response.text())
    .catch(() => undefined);
  tally.left += 1;
};

const malformed: Step = async (load) => {
  const { talk, token } = load;
  accept(load, 'no JSON', await talk.ask(`${PIPELINE}/analyze`, { token, body: '{"media_type":' }), 400);
  accept(
    load,
    'no such session',
    await talk.ask(`${PIPELINE}/sessions/${crypto.randomUUID()}`, { token }),
    404,
  );
  accept(load, 'no token', await talk.ask(`${PIPELINE}/history`), 401);
};

const look: Step = async (load) => {
  const { talk, token } = load;
  const history = await talk.ask(`${PIPELINE}/history`, { token });
  // What is there still is of requests that were left: their analyses end without them, and are kept.
  if (accept(load, 'history', history, 200))
    for (const { session_id: sessionId, status } of history.body.data.items)
      if (FINAL.has(status)) await remove(load, sessionId);
  accept(load, 'health', await talk.ask('/api/v3/health/all', { token }), 200, 503);
  accept(load, 'metrics', await talk.ask('/metrics', { inside: true }), 200);
};

const STEPS: readonly { readonly name: string; readonly weight: number; readonly step: Step }[] = [
  { name: 'direct', weight: 6, step: (load) => analyze(load, { media_type: 'text', text: textOf(load) }) },
  {
    name: 'page',
    weight: 2,
    step: (load) =>
      analyze(load, { media_type: 'url', url: `${load.pages}/${load.campaign.integer(1, 999)}` }),
  },
  { name: 'queued', weight: 4, step: (load) => queued(load, false) },
  { name: 'canceled', weight: 1, step: (load) => queued(load, true) },
  { name: 'left', weight: 2, step: leave },
  { name: 'malformed', weight: 1, step: malformed },
  { name: 'looks', weight: 2, step: look },
];
/** Each step as often as it weighs. */
const LOTS = STEPS.flatMap((step) => Array.from({ length: step.weight }, () => step));

function choose(campaign: Campaign) {
  return LOTS[campaign.integer(0, LOTS.length - 1)];
}

/** Works on the platform, one step after the other, until it is stopped. */
export async function work(load: Load, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    const chosen = choose(load.campaign);
    if (chosen === undefined) return;
    await chosen.step(load).catch((error: unknown) => {
      load.tally.problems.push(`${chosen.name}: ${error instanceof Error ? error.message : String(error)}`);
    });
    load.tally.done[chosen.name] = (load.tally.done[chosen.name] ?? 0) + 1;
  }
}
