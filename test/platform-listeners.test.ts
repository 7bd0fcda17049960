import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCampaign } from './campaign.ts';
import { eventually, until } from './patience.ts';
import { runHere } from './running-platform.ts';

const TEXT = 'Doctors admit that this one trick destroys the virus. Share before it is deleted!';

/** A reader of a stream of events, with all that it got. */
interface Listener {
  readonly request: ClientRequest;
  text: string;
  answered: boolean;
  ended: boolean;
}

let platform: Awaited<ReturnType<typeof runHere>>;
let token: string;
beforeAll(async () => {
  // No worker consumes the queues: a session stays as it is until it is canceled.
  platform = await runHere({
    LLM_URL: 'none',
    WEB_URL: 'none',
    DOMAIN_CHECK_URL: 'none',
    ANALYSIS_ROLE: 'api',
    GATEWAY_RATE_LIMIT_RPS: '100000',
    GATEWAY_RATE_LIMIT_BURST: '100000',
  });
  token = await platform.token({ user: 'ana' });
});
afterAll(() => platform.stop());

function listen(sessionId: string): Listener {
  const url = `${platform.outside}/api/v3/pipeline/sessions/${sessionId}/events`;
  const request = get(url, { agent: false, headers: { authorization: `Bearer ${token}` } });
  const listener: Listener = { request, text: '', answered: false, ended: false };
  request.on('response', (response: IncomingMessage) => {
    listener.answered = response.statusCode === 200;
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      listener.text += piece;
    });
    response.on('close', () => {
      listener.ended = true;
    });
    response.on('error', () => undefined);
  });
  request.on('error', () => {
    listener.ended = true;
  });
  return listener;
}

const eventsOf = ({ text }: Listener) =>
  [...text.matchAll(/^event: (?!heartbeat)(\S+)$/gm)].map(([, name]) => name);
const accept = async () => {
  const body = { media_type: 'text', text: TEXT };
  const answer = await platform.ask('/api/v3/pipeline/analyze-async', { token, body });
  return answer.body.data.session_id as string;
};
/** Connections and timers of this process, which is client, gateway and service at once. */
const resources = (name: string) => process.getActiveResourcesInfo().filter((each) => each === name).length;

describe('many listeners on one process', () => {
  const campaign = startCampaign('listeners of events');
  const count = campaign.rounds(150, 1000);

  it('all hear every event once, and whoever leaves takes everything along', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, accept));
    const before = { sockets: resources('TCPSocketWrap'), timers: resources('Timeout') };
    const listeners = Array.from({ length: count }, (_, index) => listen(sessions[index % 5] ?? ''));
    await until(() => listeners.every(({ answered, text }) => answered && text.includes('session.status')));
    expect(resources('TCPSocketWrap')).toBeGreaterThan(before.sockets + count);

    // Half of them leave in the middle, by cutting the line.
    const [leaving, staying] = [listeners.slice(0, count / 2), listeners.slice(count / 2)];
    for (const { request } of leaving) request.destroy();
    await until(() => leaving.every(({ ended }) => ended));
    for (const sessionId of sessions) {
      const canceled = await platform.ask(`/api/v3/pipeline/sessions/${sessionId}/cancel`, {
        token,
        body: {},
      });
      expect(canceled.status).toBe(200);
    }
    await until(() => staying.every(({ ended }) => ended));
    const heard = new Set(staying.map((listener) => eventsOf(listener).join(' ')));
    expect(heard.size).toBe(1);
    expect([...heard][0]).toMatch(/^session\.status (component\.completed )?session\.status$/);

    // A few connections of pools stay for the next request; none of those of the streams does.
    await eventually(() => {
      expect(resources('TCPSocketWrap')).toBeLessThan(before.sockets + count / 4);
      expect(resources('Timeout')).toBeLessThan(before.timers + count / 4);
    });
    campaign.summary(`${count} listeners heard ${[...heard][0]?.split(' ').length} events each`);
  });
});
