import { readFileSync } from 'node:fs';
import { packageFile } from '../../src/foundation/files.ts';
import type { EncoderParts } from '../../src/text/encoder/encoder.ts';
import { readGloss } from '../../src/text/encoder/gloss.ts';
import { loadStudent } from '../../src/text/encoder/student.ts';
import { loadLinear } from '../../src/text/linear.ts';

const file = (name: string) => readFileSync(packageFile('models', name));

/** The shipped encoder but for the student. */
export function readPartsWithoutStudent(): Omit<EncoderParts, 'student'> {
  return {
    english: file('encoder-en.bin'),
    gloss: readGloss(file('gloss-ro.tsv').toString('utf8')),
    language: loadLinear(file('language.bin')),
  };
}

/** The encoder as it is shipped, with the layers that techniques and whole texts read. */
export function readEncoderParts(): EncoderParts {
  const [upper, whole] = [file('techniques-upper.bin'), file('text-upper.bin')];
  return { ...readPartsWithoutStudent(), student: loadStudent(file('encoder-ro.bin')), upper, whole };
}
