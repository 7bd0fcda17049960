import { loadLinear } from '../linear.ts';
import type { EncoderParts } from './encoder.ts';
import { readGloss } from './gloss.ts';
import { loadStudent } from './student.ts';

/** The packaged encoder, from the files of models/; `read` gives the bytes of one. */
export function readEncoderParts(read: (file: string) => Uint8Array): EncoderParts {
  return {
    english: read('encoder-en.bin'),
    gloss: readGloss(Buffer.from(read('gloss-ro.tsv')).toString('utf8')),
    student: loadStudent(read('encoder-ro.bin')),
    language: loadLinear(read('language.bin')),
  };
}
