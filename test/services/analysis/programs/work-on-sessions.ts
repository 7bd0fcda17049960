import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../../../src/foundation/database/database.ts';
import { openRabbitBroker } from '../../../../src/services/analysis/broker/rabbitmq/rabbitmq-broker.ts';
import { runDirect } from '../../../../src/services/analysis/dispatch/direct.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { silent } from '../../../foundation/database/engines.ts';
import { newSession, runnersOf, scripted, startWorkers, submissionOf, uncounted } from '../harness.ts';

// Works on the queues of a database until it is killed or told to stop. With `direct` it also runs a session of its own,
// whose last component never ends, and prints its id when the others have.
const [home = '', url, mode, amqp, prefix = ''] = process.argv.slice(2);
const database = await openDatabase({ home, url: url || undefined, log: silent, connections: 4 });
const quick = () => pause(5 + Math.random() * 40);
const { components } = scripted({ techniques: quick, ai_tampered: quick, claims: quick, domain: quick });
const workers = await startWorkers(
  database,
  runnersOf(components),
  amqp === undefined
    ? {}
    : {
        openBroker: () =>
          openRabbitBroker(database, silent, { url: amqp, prefix, retryPausesMs: [5], leaseMs: 3000 }),
      },
);
await workers.lifecycle.recover({ all: database.engine === 'embedded' });
// A sweep that the end of the process cuts off leaves its work to the next one.
setInterval(() => workers.lifecycle.recover({ all: false }).catch(() => undefined), 300).unref();
process.once('SIGTERM', () => {
  void workers.stop().then(async () => {
    await database.close();
    process.stdout.write('stopped\n');
  });
});
process.stdout.write('works\n');

if (mode === 'direct') {
  const endless = scripted({ claims: () => new Promise<void>(() => undefined) });
  const created = newSession(submissionOf());
  const { sessionId } = created;
  const queries = database.kysely<AnalysisTables>();
  const lease = { owner: workers.activeSessions.owner, until: workers.activeSessions.leaseEnd() };
  await insertSession(queries, { ...created, status: 'running', lease });
  const ended = runDirect(queries, created, runnersOf(endless.components), {
    signal: new AbortController().signal,
    correlationId: sessionId,
    log: silent,
    metrics: uncounted,
    owner: workers.activeSessions.owner,
  });
  await Promise.race([ended, pause(500)]);
  process.stdout.write(`direct ${sessionId}\n`);
}
