import { buffer } from 'node:stream/consumers';
import { samplesOfPcm } from '../pieces.ts';
import { loadSpeechRuntime, type RecognizerConfig } from './sherpa-runtime.ts';

/** What the process is started with. */
export interface RecognitionWorkerOptions {
  /** Folder in which the runtime is installed. */
  readonly runtime: string;
  readonly config: RecognizerConfig;
}

// Reads one piece of sound, writes its transcript and ends: native code reads model files of the operator here, so it runs in a process of its own.
const { runtime, config } = JSON.parse(process.argv[2] ?? '{}') as RecognitionWorkerOptions;
const { OfflineRecognizer } = loadSpeechRuntime(runtime);
const recognizer = new OfflineRecognizer(config);
const stream = recognizer.createStream();
stream.acceptWaveform(samplesOfPcm(await buffer(process.stdin)));
recognizer.decode(stream);
process.stdout.write(JSON.stringify(recognizer.getResult(stream)));
