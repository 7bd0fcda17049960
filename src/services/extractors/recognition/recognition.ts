import type { Probeable } from '../../../foundation/health.ts';
import type { Logger } from '../../../foundation/log.ts';
import type { Decoder } from '../../../media/image/decoder.ts';
import type { ColourPicture } from '../colour-picture.ts';
import { uprightPreview } from '../colour-picture.ts';
import { createFairThreadPool } from '../fair-thread-pool.ts';
import { pictureFailure } from '../picture-decoder.ts';
import type { Reason } from '../resources/reasons.ts';
import type { ExtractorsSettings } from '../settings.ts';
import type { RecognitionResult } from './extractors-recognition-worker.ts';
import { isRecognitionInstalled, recognitionFolder } from './packages.ts';

/** What a picture shows, in pixels of the picture as it is shown. */
export interface RecognisedPicture {
  readonly width: number;
  readonly height: number;
  /** Pixels of the picture for each pixel of a box. */
  readonly scale: number;
  readonly recognised: RecognitionResult | Reason;
}

/** Recognises objects, faces and nudity in pictures. */
export interface Recogniser extends Probeable {
  /** Whether the recognition models are installed. */
  readonly isInstalled: boolean;
  /** A reason where the picture was not examined at all. Throws a failure of the error table. */
  recognise(file: Buffer, caller: string, signal: AbortSignal): Promise<RecognisedPicture | Reason>;
  close(): Promise<void>;
}

/** Memory of a thread in megabytes, beside that of WebAssembly. */
const HEAP_MEGABYTES = 512;
const NOT_INSTALLED =
  'objects, faces and nudity are not recognised; `limpede setup recognition` installs what does it';

/** Creates the recogniser; no thread or process is started before the first picture. */
export function createRecogniser(
  settings: ExtractorsSettings,
  decoder: Decoder,
  log: Logger,
  isInstalled = () => isRecognitionInstalled(recognitionFolder()),
): Recogniser {
  const pool = createFairThreadPool<ColourPicture, RecognitionResult>(settings, {
    script: 'extractors-recognition-worker.js',
    heapMegabytes: HEAP_MEGABYTES,
  });
  const recognise = async (
    picture: ColourPicture,
    signal: AbortSignal,
  ): Promise<RecognitionResult | Reason> => {
    try {
      return await pool.run(picture, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.error({ err: error }, 'nothing could be recognised in a picture');
      pool.renew();
      return 'engine_failed';
    }
  };
  return {
    get isInstalled() {
      return isInstalled();
    },
    get note() {
      return isInstalled() ? 'objects, faces and nudity are recognised' : NOT_INSTALLED;
    },
    recognise: async (file, caller, callerSignal) => {
      if (!isInstalled()) return 'engine_missing';
      return pool.runQueued(caller, callerSignal, settings.EXTRACTORS_DETECT_TIMEOUT_MS, async (signal) => {
        const decoded = await decoder.decode(file, signal).catch((error: unknown) => {
          throw pictureFailure(error);
        });
        const { picture, width, height } = uprightPreview(decoded);
        return { width, height, scale: width / picture.width, recognised: await recognise(picture, signal) };
      });
    },
    // It is a part that few need: without it the service is whole.
    probe: async () => undefined,
    close: () => pool.close(),
  };
}
