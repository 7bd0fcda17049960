// A thread that says what threads of `serveLane` say, and loads until it is told that it may go on.
import { parentPort, workerData } from 'node:worker_threads';

const { given, lane, shared } = workerData;
if (shared === null) Atomics.wait(given.gate, 0, 0);
if (given.fails && Atomics.add(given.gate, 1, 1) === 0) throw new Error('it cannot be loaded');
parentPort.on('message', (task) => {
  if (task === 'end') process.exit(0);
  parentPort.postMessage(
    task === 'fail'
      ? { kind: 'failed', message: 'no' }
      : { kind: 'done', result: `${shared ?? 'own'} ${lane} ${task}` },
  );
});
parentPort.postMessage({ kind: 'ready', shared: 'shared' });
