import { existsSync } from 'node:fs';
import type { Probeable } from '../../../foundation/health.ts';
import type { Logger } from '../../../foundation/log.ts';
import type { Decoder } from '../../../media/image/decoder.ts';
import { uprightPreview } from '../colour-picture.ts';
import { createFairThreadPool } from '../fair-thread-pool.ts';
import { pictureFailure } from '../picture-decoder.ts';
import type { Reason } from '../resources/reasons.ts';
import type { ExtractorsSettings } from '../settings.ts';
import type { OcrTask } from './extractors-ocr-worker.ts';
import { languageFile, OCR_LANGUAGES, type OcrLanguage } from './tesseract.ts';
import type { RecognisedText } from './text-recognition.ts';

/** The text of a picture with the size of the upright picture; boxes are in pixels of the copy that was recognised. */
export interface PictureOcrResult {
  readonly width: number;
  readonly height: number;
  /** Pixels of the picture for each pixel of a box. */
  readonly scale: number;
  readonly text: RecognisedText | Reason;
  /** Requested languages whose data is not installed. */
  readonly missingLanguages: readonly OcrLanguage[];
}

/** Reads text in pictures. */
export interface TextReader extends Probeable {
  /** Throws a failure of the error table. */
  read(
    file: Buffer,
    languages: readonly OcrLanguage[],
    caller: string,
    signal: AbortSignal,
  ): Promise<PictureOcrResult>;
  close(): Promise<void>;
}

/** Memory of a thread in megabytes, beside that of the engines. */
const HEAP_MEGABYTES = 256;

/** Whether the data of a language is installed here. */
function hasData(language: OcrLanguage): boolean {
  try {
    return existsSync(languageFile(language));
  } catch {
    return false;
  }
}

/** Creates the reader; no thread or process is started before the first picture. */
export function createTextReader(
  settings: ExtractorsSettings,
  decoder: Decoder,
  log: Logger,
  isInstalled: (language: OcrLanguage) => boolean = hasData,
): TextReader {
  const pool = createFairThreadPool<OcrTask, RecognisedText>(settings, {
    script: 'extractors-ocr-worker.js',
    heapMegabytes: HEAP_MEGABYTES,
  });
  const recognise = async (task: OcrTask, signal: AbortSignal): Promise<RecognisedText | Reason> => {
    if (task.languages.length === 0) return 'engine_missing';
    try {
      return await pool.run(task, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.error({ err: error }, 'a picture could not be read');
      pool.renew();
      return 'engine_failed';
    }
  };
  return {
    get note() {
      return decoder.note;
    },
    read: (file, languages, caller, callerSignal) => {
      const limitMs = settings.EXTRACTORS_OCR_TIMEOUT_MS;
      return pool.runQueued(caller, callerSignal, limitMs, async (signal) => {
        const started = performance.now();
        const decoded = await decoder.decode(file, signal).catch((error: unknown) => {
          throw pictureFailure(error);
        });
        const { picture, width, height } = uprightPreview(decoded);
        const left = limitMs - (performance.now() - started);
        const installed = languages.filter(isInstalled);
        const missingLanguages = languages.filter((language) => !installed.includes(language));
        return {
          width,
          height,
          scale: width / picture.width,
          text: await recognise({ picture, languages: installed, limitMs: left }, signal),
          missingLanguages,
        };
      });
    },
    probe: async () => {
      const missing = (Object.keys(OCR_LANGUAGES) as OcrLanguage[]).filter(
        (language) => !isInstalled(language),
      );
      if (missing.length > 0) throw new Error(`the data of ${missing.join(', ')} is not installed`);
    },
    close: () => pool.close(),
  };
}
