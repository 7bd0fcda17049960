import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { packageFile } from '../../../../foundation/files.ts';
import {
  createEncoder,
  type Encoder,
  type SharedEncoder,
  shareEncoder,
} from '../../../../text/encoder/encoder.ts';
import { readGloss } from '../../../../text/encoder/gloss.ts';
import { encodeText } from '../../../../text/encoder/passages.ts';
import { loadStudent } from '../../../../text/encoder/student.ts';
import { loadLinear } from '../../../../text/linear.ts';
import type { EncodedInput, WorkerAnswer, WorkerStart, WorkerTask } from './messages.ts';

const model = (file: string) => readFileSync(packageFile('models', file));

function load(lanes: number): SharedEncoder {
  return shareEncoder(
    {
      english: model('encoder-en.bin'),
      gloss: readGloss(model('gloss-ro.tsv').toString('utf8')),
      student: loadStudent(model('encoder-ro.bin')),
      language: loadLinear(model('language.bin')),
    },
    lanes,
  );
}

function encodeInput(encoder: Encoder, input: WorkerTask['inputs'][number], task: WorkerTask): EncodedInput {
  if (typeof input !== 'string') {
    const [encoded] = encoder.encodeIds([input]);
    return { vector: encoded?.vector ?? null, tokens: encoded?.pieces ?? 0 };
  }
  const { vector, pieces } = encodeText(encoder, input, task.language);
  return { vector, tokens: pieces };
}

const port = parentPort;
if (port === null) throw new Error('The encoder runs in a thread of its own.');
const { lane, lanes, shared } = workerData as WorkerStart;
const own = shared ?? load(lanes);
const encoder = createEncoder(own, lane);
const answer = (message: WorkerAnswer) => port.postMessage(message);

port.on('message', (task: WorkerTask) => {
  try {
    answer({ kind: 'vectors', inputs: task.inputs.map((input) => encodeInput(encoder, input, task)) });
  } catch (error) {
    answer({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
});
answer({ kind: 'ready', shared: own });
