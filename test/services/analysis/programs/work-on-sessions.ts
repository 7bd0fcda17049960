import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../../../src/foundation/database/database.ts';
import { runDirect } from '../../../../src/services/analysis/dispatch/direct.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { silent } from '../../../foundation/database/engines.ts';
import { enginesOf, newSession, scripted, startWorld, submissionOf } from '../world.ts';

// Works on the queues of a database until it is killed or told to stop. With `direct` it also runs a session of its own,
// whose last component never ends, and prints its id when the others have.
const [home = '', url, mode] = process.argv.slice(2);
const database = await openDatabase({ home, url: url || undefined, log: silent, connections: 4 });
const quick = () => pause(5 + Math.random() * 40);
const { components } = scripted({ techniques: quick, ai_tampered: quick, claims: quick, domain: quick });
const world = await startWorld(database, enginesOf(components));
await world.control.recover(database.engine === 'embedded');
setInterval(() => void world.control.recover(false), 300).unref();
process.once('SIGTERM', () => {
  void world.stop().then(async () => {
    await database.close();
    process.stdout.write('stopped\n');
  });
});
process.stdout.write('works\n');

if (mode === 'direct') {
  const endless = scripted({ claims: () => new Promise<void>(() => undefined) });
  const created = newSession(submissionOf());
  const { sessionId, submission, plan } = created;
  const queries = database.kysely<AnalysisTables>();
  const lease = { owner: world.running.owner, until: world.running.leaseEnd() };
  await insertSession(queries, { ...created, status: 'running', lease });
  const ended = runDirect(queries, { sessionId, submission, plan }, enginesOf(endless.components), {
    signal: new AbortController().signal,
    correlationId: sessionId,
    log: silent,
    owner: world.running.owner,
  });
  await Promise.race([ended, pause(500)]);
  process.stdout.write(`direct ${sessionId}\n`);
}
