import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { openDatabase } from '../../../../src/foundation/database/database.ts';
import { openRabbitBroker } from '../../../../src/services/analysis/broker/rabbitmq/rabbitmq-broker.ts';
import { WORK_NAMES } from '../../../../src/services/analysis/dispatch/worker.ts';
import { silent } from '../../../foundation/database/engines.ts';
import { newSession, runnersOf, type Script, scripted, startWorkers, submissionOf } from '../harness.ts';

// One of the two parts of an installation, until it is killed. `orchestrator` accepts sessions one after the other and says
// which step comes next, but runs none; `worker` runs steps, and notes each call of an engine when it begins. In a session whose
// user is `endless` the first call for claims waits until it is stopped, and says so.
const [home = '', url, amqp = '', prefix = '', part, count = '0'] = process.argv.slice(2);
const database = await openDatabase({ home, url, log: silent, connections: 4 });
const say = (line: string) => process.stdout.write(`${line}\n`);
const isWorker = part === 'worker';

const called =
  (step: string): Script =>
  async ({ correlationId, account, signal }) => {
    if (step === 'claims' && account === 'endless') {
      const { rows } =
        await sql`select 1 from engine_call where step = 'waits' and session_id = ${correlationId}`.execute(
          database.kysely(),
        );
      if (rows.length === 0) await untilStopped(correlationId, signal);
    }
    await note(correlationId, step);
    await pause(5 + Math.random() * 30);
  };

async function note(sessionId: string, step: string): Promise<void> {
  await sql`insert into engine_call (session_id, step, worker) values (${sessionId}, ${step}, ${process.pid})`.execute(
    database.kysely(),
  );
}

async function untilStopped(sessionId: string, signal: AbortSignal): Promise<never> {
  await note(sessionId, 'waits');
  const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  say(`waits ${sessionId}`);
  await stopped;
  say(`stopped ${sessionId}`);
  throw signal.reason;
}

const { components } = scripted({
  techniques: called('techniques'),
  ai_tampered: called('ai_tampered'),
  claims: called('claims'),
});
const workers = await startWorkers(database, runnersOf(components), {
  slots: { free: 10_000, premium: 10_000 },
  openBroker: () =>
    openRabbitBroker(database, silent, { url: amqp, prefix, retryPausesMs: [5], leaseMs: 3000 }),
  work: isWorker ? WORK_NAMES.filter((name) => name !== 'results') : ['results'],
});
if (!isWorker)
  setInterval(() => workers.lifecycle.recover({ all: false }).catch(() => undefined), 300).unref();
say('works');
for (let accepted = 0; accepted < Number(count); accepted++) {
  const created = newSession(submissionOf());
  await workers.lifecycle.accept(created, created.sessionId);
  say(`accepted ${accepted + 1}`);
}
