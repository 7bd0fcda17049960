// A thread that says what threads of `serveSharedThread` report, and loads until the gate opens.
import { parentPort, workerData } from 'node:worker_threads';

const { options, index, shared } = workerData;
if (shared === null) Atomics.wait(options.gate, 0, 0);
if (options.fails && Atomics.add(options.gate, 1, 1) === 0) throw new Error('it cannot be loaded');
parentPort.on('message', (task) => {
  if (task === 'end') process.exit(0);
  parentPort.postMessage(
    task === 'fail'
      ? { kind: 'failed', message: 'no' }
      : { kind: 'done', result: `${shared ?? 'own'} ${index} ${task}` },
  );
});
parentPort.postMessage({ kind: 'ready', shared: 'shared' });
