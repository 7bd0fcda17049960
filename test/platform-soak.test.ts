import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCampaign } from './campaign.ts';
import { createEnvironment, type Environment, type Program, runBeside, talkTo } from './running-platform.ts';

const ANALYZE = '/api/v3/pipeline/analyze';
const MINUTE_MS = 60_000;
/** Callers at the same time. */
const CALLERS = 4;
/** Analyses after which caches and pools are filled, so that memory should no longer grow. */
const WARM_UP = 200;
/** What the memory may grow by after that, as a share: an analysis that leaked its text would be far above it. */
const LARGEST_GROWTH = 0.5;

let environment: Environment;
let remove: () => Promise<void>;
let program: Program | undefined;
let token: string;
beforeAll(async () => {
  ({ environment, remove } = await createEnvironment());
  program = await runBeside(environment);
  token = await talkTo(environment).token({ user: 'ana' });
});
afterAll(async () => {
  program?.child.kill('SIGKILL');
  await program?.ended;
  await remove?.();
});

/** Resident memory of the platform in bytes; undefined where the system does not tell. */
function memory(): number | undefined {
  try {
    const [, kibibytes] =
      /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${program?.child.pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

describe('the platform under lasting work', () => {
  const soak = startCampaign('soak');

  it('completes every analysis, and its memory stays', async () => {
    const { ask } = talkTo(environment);
    const end = Date.now() + soak.rounds(0, 30) * MINUTE_MS;
    const least = soak.rounds(12, WARM_UP + 200);
    let started = 0;
    let warm: number | undefined;
    const work = async () => {
      while (started < least || Date.now() < end) {
        const number = started++;
        const text = `Story ${number}: doctors HIDE the truth about item ${soak.integer(1, 1_000_000)}. Share it before it is deleted! `;
        const body = { media_type: 'text', text: text.repeat(soak.integer(1, 40)) };
        const answer = await ask(ANALYZE, { token, body });
        expect([answer.status, answer.body.data?.status], answer.text.slice(0, 500)).toEqual([
          200,
          'completed',
        ]);
        if (number === WARM_UP) warm = memory();
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, work));
    const last = memory();
    if (warm !== undefined && last !== undefined) expect(last / warm).toBeLessThan(1 + LARGEST_GROWTH);
    expect((await ask('/api/v3/health')).status).toBe(200);
    const mebibytes = (bytes: number | undefined) =>
      bytes === undefined ? '?' : Math.round(bytes / 1024 / 1024);
    soak.summary(
      `${started} analyses completed, memory ${mebibytes(warm ?? last)} -> ${mebibytes(last)} MiB`,
    );
  });
});
