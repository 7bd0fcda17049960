import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import type { FromWorker, ToWorker, WorkerOptions } from './embedded-link.ts';

if (!parentPort) throw new Error('this file is the entry of a worker thread');
const port = parentPort;
const { folder, parameters, program = compiled() } = workerData as WorkerOptions;

/** Larger answers are sent in parts of about this many bytes, so that the reader can start while the engine continues. */
const PART_BYTES = 256 * 1024;

let aborted = false;
const database = await PGlite.create({
  dataDir: folder,
  pgliteWasmModule: program,
  startParams: [...PGlite.defaultStartParams, ...parameters.flatMap((parameter) => ['-c', parameter])],
  onStderr: (text) => {
    send({ kind: 'log', text });
    // The engine gave up (a PANIC ends in an abort of the whole program), but its wrapper would go on calling it.
    if (text.startsWith('Aborted(')) aborted = true;
    return false;
  },
});
let fresh = true;
port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') close();
  else answer(message.connection, message.bytes);
});
send({ kind: 'ready', program });

function compiled(): WebAssembly.Module {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return new WebAssembly.Module(readFileSync(join(dirname(entry), 'pglite.wasm')));
}

/** Runs what one connection sent; the engine is single, so connections follow each other. */
function answer(connection: number, bytes: Uint8Array): void {
  const isStartup = bytes[0] === 0;
  // The previous connection may have left a transaction, settings or subscriptions behind.
  if (isStartup && !fresh)
    for (const text of ['rollback', 'discard all']) execute(query(text), () => undefined);
  fresh = false;
  let parts: Uint8Array[] = [];
  let size = 0;
  execute(bytes, (part) => {
    parts.push(part.slice());
    size += part.length;
    if (size < PART_BYTES) return;
    send({ kind: 'answer', connection, bytes: concatenate(parts, size), done: false });
    parts = [];
    size = 0;
  });
  send({ kind: 'answer', connection, bytes: concatenate(parts, size), done: true });
}

function execute(bytes: Uint8Array, onRawData: (part: Uint8Array) => void): void {
  // Runs to its end before it returns: nothing is to be synchronised on this file system.
  void database.execProtocolRawStream(bytes, { syncToFs: false, onRawData });
  if (aborted) throw new Error('the engine aborted');
}

/** The wire form of a simple query. */
function query(text: string): Uint8Array {
  const body = Buffer.from(`${text}\0`);
  const message = Buffer.alloc(5 + body.length);
  message.write('Q');
  message.writeInt32BE(4 + body.length, 1);
  body.copy(message, 5);
  return new Uint8Array(message);
}

function concatenate(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function send(message: FromWorker): void {
  port.postMessage(message, message.kind === 'answer' ? [message.bytes.buffer as ArrayBuffer] : []);
}

async function close(): Promise<void> {
  await database.close();
  send({ kind: 'closed' });
  port.close();
}
