import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import type { GreyPicture } from './grey-picture.ts';

/** Supported languages, by the names that Tesseract has for them. */
export const OCR_LANGUAGES = { en: 'eng', ro: 'ron' } as const;
/** A supported language. */
export type OcrLanguage = keyof typeof OCR_LANGUAGES;

/** How a page is taken apart: by its own judgement, or as scattered words. */
export type Segmentation = 'page' | 'scattered';
const SEGMENTATIONS: Readonly<Record<Segmentation, string>> = { page: '3', scattered: '11' };

/** A rectangle in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A recognised word. */
export interface OcrWord {
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly box: Box;
  /** Words with the same line belong together. */
  readonly line: string;
  readonly block: string;
}

// biome-ignore-start lint/style/useNamingConvention: these are the names of the library
/** The part of the interface of tesseract.js-core that is used here. */
interface TesseractApi {
  Init(path: null, language: string, engine: number): number;
  SetVariable(name: string, value: string): boolean;
  SetImageFile(orientation: number, angle: number): number;
  Recognize(monitor: null): number;
  GetTSVText(): string;
  Clear(): void;
}
interface TesseractModule {
  readonly FS: { writeFile(path: string, data: Uint8Array): void };
  readonly TessBaseAPI: new () => TesseractApi;
}
// biome-ignore-end lint/style/useNamingConvention: these are the names of the library

/** The engine of tesseract that has networks alone. */
const LSTM_ONLY = 1;
/** The assumed resolution of pictures that declare none. */
const DOTS_PER_INCH = '150';

/** Reads text from pictures in one language. */
export interface Tesseract {
  read(picture: GreyPicture, segmentation: Segmentation): OcrWord[];
}

const packages = createRequire(import.meta.url);

/** Where the data of a language is packaged; throws when it is not. */
export function languageFile(language: OcrLanguage): string {
  return language === 'en'
    ? packages.resolve('@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz')
    : packages.resolve('@tesseract.js-data/ron/4.0.0_best_int/ron.traineddata.gz');
}

/** Opens an engine for a language: it takes a tenth of a second and 100 to 150 MB. */
export async function openTesseract(language: OcrLanguage): Promise<Tesseract> {
  const start: (options: object) => Promise<TesseractModule> = packages(
    'tesseract.js-core/tesseract-core-simd-lstm.js',
  );
  const { FS, TessBaseAPI } = await start({ print: () => undefined, printErr: () => undefined });
  const name = OCR_LANGUAGES[language];
  FS.writeFile(`./${name}.traineddata`, gunzipSync(readFileSync(languageFile(language))));
  const api = new TessBaseAPI();
  if (api.Init(null, name, LSTM_ONLY) !== 0)
    throw new Error(`the data of the language ${language} cannot be used`);
  api.SetVariable('user_defined_dpi', DOTS_PER_INCH);
  return {
    read: ({ width, height, pixels }, segmentation) => {
      const header = Buffer.from(`P5\n${width} ${height}\n255\n`);
      FS.writeFile('/input', Buffer.concat([header, pixels]));
      api.SetVariable('tessedit_pageseg_mode', SEGMENTATIONS[segmentation]);
      if (api.SetImageFile(1, 0) !== 0) throw new Error('the picture was not taken');
      api.Recognize(null);
      const words = wordsOf(api.GetTSVText());
      api.Clear();
      return words;
    },
  };
}

/** Level of a row that is a word, in the table of tesseract. */
const WORD_LEVEL = '5';
/** Letters of the Romanian alphabet as some fonts have them, with a cedilla in place of the comma. */
const CEDILLAS: Readonly<Record<string, string>> = { ş: 'ș', Ş: 'Ș', ţ: 'ț', Ţ: 'Ț' };

function wordsOf(table: string): OcrWord[] {
  return table.split('\n').flatMap((row): OcrWord[] => {
    const [level, page, block, paragraph, line, , left, top, width, height, confidence, text = ''] =
      row.split('\t');
    const read = text.trim().replace(/[şŞţŢ]/g, (letter) => CEDILLAS[letter] ?? letter);
    if (level !== WORD_LEVEL || read === '') return [];
    return [
      {
        text: read,
        confidence: Math.max(0, Math.min(1, Number(confidence) / 100)),
        box: { x: Number(left), y: Number(top), width: Number(width), height: Number(height) },
        line: [page, block, paragraph, line].join('.'),
        block: [page, block].join('.'),
      },
    ];
  });
}
