import type { ColourPicture } from '../colour-picture.ts';
import { type OcrLanguage, openTesseract, type Tesseract } from './tesseract.ts';
import { type RecognisedText, recogniseText } from './text-recognition.ts';

/** One picture for a thread, as it is shown. */
export interface OcrTask {
  readonly picture: ColourPicture;
  readonly languages: readonly OcrLanguage[];
  /** Milliseconds that reading may take; passes that would take longer are left out. */
  readonly limitMs: number;
}

/** Engines of this thread, opened when their language is first read. */
const engines = new Map<OcrLanguage, Promise<Tesseract>>();

/** Recognises the text of one picture in this thread. */
export default function recogniseInThread({ picture, languages, limitMs }: OcrTask): Promise<RecognisedText> {
  const ends = performance.now() + limitMs;
  return recogniseText(picture, languages, {
    engine: (language) => {
      const opened = engines.get(language) ?? openTesseract(language);
      engines.set(language, opened);
      opened.catch(() => engines.delete(language));
      return opened;
    },
    remainingMs: () => ends - performance.now(),
  });
}
