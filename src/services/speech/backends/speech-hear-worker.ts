import { buffer } from 'node:stream/consumers';
import { pieceOfPcm } from '../pieces.ts';
import { loadSpeechRuntime, type RecognizerConfig } from './sherpa-runtime.ts';

/** What the process is started with. */
export interface HearingOptions {
  /** Folder in which the runtime is installed. */
  readonly runtime: string;
  readonly config: RecognizerConfig;
}

// One piece of sound in, what was heard out, in a process that ends with it: native code reads a file of the operator here.
const { runtime, config } = JSON.parse(process.argv[2] ?? '{}') as HearingOptions;
const { OfflineRecognizer } = loadSpeechRuntime(runtime);
const recognizer = new OfflineRecognizer(config);
const stream = recognizer.createStream();
stream.acceptWaveform(pieceOfPcm(await buffer(process.stdin)));
recognizer.decode(stream);
process.stdout.write(JSON.stringify(recognizer.getResult(stream)));
