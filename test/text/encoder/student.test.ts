import { describe, expect, it } from 'vitest';
import { writeModelFile } from '../../../src/text/encoder/model-file.ts';
import { correctionOf, loadStudent, studentFeatures } from '../../../src/text/encoder/student.ts';
import { hashText } from '../../../src/text/features.ts';

/** A student that knows two words; its numbers are widened to the first two places. */
function file(words: readonly string[], width = 2): Uint8Array {
  const widening = new Float32Array(width * 512);
  for (let index = 0; index < width; index++) widening[index * 512 + index] = 1;
  return writeModelFile(
    { name: 'test', version: '1', width },
    {
      hashes: Uint32Array.from(words, (word) => hashText(word) >>> 0).sort(),
      rows: Int8Array.from({ length: words.length * width }, () => 4),
      scales: new Float32Array(words.length).fill(0.5),
      widening,
    },
  );
}

describe('student', () => {
  it('knows each word and its beginning', () => {
    expect(studentFeatures('Guvernul, guvernul!').length).toBe(4);
    expect(studentFeatures('Guvernul')).toEqual(studentFeatures('GUVERNUL'));
    expect(studentFeatures('Țară')[0]).toBe(studentFeatures('tara')[0]);
    expect(studentFeatures('ministrul')[1]).toBe(studentFeatures('ministrii')[1]);
    expect(studentFeatures('123 !')).toEqual([]);
  });

  it('adds up what it knows, by the root of their number', () => {
    const student = loadStudent(file(['guvern', 'pod']));
    expect([...correctionOf(student, 'guvern').subarray(0, 3)]).toEqual([2, 2, 0]);
    const two = correctionOf(student, 'guvern pod necunoscut');
    expect(two[0]).toBeCloseTo(4 / Math.sqrt(2), 5);
    expect([...correctionOf(student, 'altceva')].every((number) => number === 0)).toBe(true);
  });

  it('is refused when its parts differ in size', () => {
    const broken = writeModelFile(
      { name: 'test', version: '1', width: 3 },
      {
        hashes: new Uint32Array(1),
        rows: new Int8Array(2),
        scales: new Float32Array(1),
        widening: new Float32Array(3 * 512),
      },
    );
    expect(() => loadStudent(broken)).toThrow('damaged');
  });
});
