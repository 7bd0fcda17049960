import { describe, expect, it } from 'vitest';
import {
  createRecognitionCheck,
  type ExtractorsClient,
  type MeasuringDependencies,
  measure,
} from '../../../src/services/vision/backends/describer/facts.ts';

const call = { caller: 'a', correlationId: 'c', signal: new AbortController().signal };
const picture = { bytes: Buffer.from('picture'), mimeType: 'image/png' };

/** Measures twice with extractors that say so of what is installed; what they were asked. */
async function askedOf(installed: boolean): Promise<string[]> {
  const asked: string[] = [];
  const answer = (name: string, told?: object) => async () => {
    asked.push(name);
    return told;
  };
  const extractors = {
    metadata: answer('metadata'),
    ocr: answer('ocr'),
    detect: answer('detect'),
    recognition: answer('recognition', { installed, en: '', ro: '' }),
  } as unknown as ExtractorsClient;
  const decoded = { width: 1, height: 1, pages: 1, brightness: [128], thumbnailRgb: Buffer.from([1, 2, 3]) };
  const dependencies = {
    decoder: { decode: async () => decoded },
    forensic: undefined,
    extractors,
    canRecognise: createRecognitionCheck(extractors),
  } as unknown as MeasuringDependencies;
  const facts = [await measure(picture, dependencies, call), await measure(picture, dependencies, call)];
  expect(facts.map(({ unmeasured }) => unmeasured.includes('objects'))).toEqual([true, true]);
  return asked.filter((name) => name === 'detect' || name === 'recognition');
}

describe('what a picture shows', () => {
  it('is asked of the extractors where they can tell, and whether they can is asked once', async () => {
    expect(await askedOf(true)).toEqual(['recognition', 'detect', 'detect']);
  });

  it('is not asked where nothing recognises it: no picture is sent', async () => {
    expect(await askedOf(false)).toEqual(['recognition']);
  });
});
