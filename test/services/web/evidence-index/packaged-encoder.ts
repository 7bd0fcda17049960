import { readFileSync } from 'node:fs';
import { packageFile } from '../../../../src/foundation/files.ts';
import type { TextEncoder } from '../../../../src/services/web/evidence-index/encode.ts';
import { createEncoder, shareEncoder } from '../../../../src/text/encoder/encoder.ts';
import { identifyLanguage } from '../../../../src/text/language.ts';
import { loadLinear } from '../../../../src/text/linear.ts';
import { readEncoderParts } from '../../../../training/encoder/parts.ts';

/** The shipped encoder in this thread. */
export function packagedEncoder(): TextEncoder {
  const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
  return { encode: async (texts) => encoder.encode(texts).map(({ vector }) => vector) };
}

const model = loadLinear(readFileSync(packageFile('models', 'language.bin')));

/** The shipped identification of languages. */
export const languageOf = (text: string): string => identifyLanguage(model, text).code;
