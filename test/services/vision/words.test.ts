import { expect, it, describe as suite } from 'vitest';
import {
  type Colour,
  colourOf,
  mainColours,
} from '../../../src/services/vision/backends/describer/colours.ts';
import type { PictureFacts } from '../../../src/services/vision/backends/describer/facts.ts';
import { describe } from '../../../src/services/vision/backends/describer/words.ts';

suite('colours', () => {
  it.each<[Colour, number, number, number]>([
    ['black', 10, 12, 9],
    ['white', 250, 250, 245],
    ['grey', 128, 130, 127],
    ['red', 200, 20, 20],
    ['pink', 250, 150, 180],
    ['orange', 255, 140, 0],
    ['brown', 120, 70, 30],
    ['yellow', 250, 230, 30],
    ['green', 30, 160, 50],
    ['teal', 0, 128, 128],
    ['blue', 30, 60, 200],
    ['purple', 120, 30, 180],
  ])('%s', (name, red, green, blue) => {
    expect(colourOf(red, green, blue)).toBe(name);
  });

  it('are named with their share, the largest first', () => {
    const rgb = new Uint8Array([200, 20, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(mainColours(rgb)).toEqual([
      { colour: 'black', share: 0.75 },
      { colour: 'red', share: 0.25 },
    ]);
  });
});

const FACTS: PictureFacts = {
  mimeType: 'image/png',
  width: 10,
  height: 20,
  frames: 1,
  colours: [{ colour: 'blue', share: 0.5 }],
  brightness: 0.1,
  file: {
    jpeg: null,
    software: 'GIMP',
    camera: { make: 'Nikon', model: 'D750' },
    taken_at: '2016:05:01',
    modified_at: null,
    has_maker_note: true,
    digital_source_type: null,
    generator: null,
  },
  history: null,
  content: null,
  text: null,
  unmeasured: ['history', 'objects', 'text'],
};

suite('a description', () => {
  it('tells what was measured, what was not, and what it is', () => {
    const text = describe([FACTS], 'en').join(' ');
    expect(text).toBe(
      'PNG picture of 10 x 20 pixels, dark. Main colours: blue (50 %). It names the camera Nikon D750, 2016:05:01. ' +
        'It was written by GIMP. Not looked for: a signed history, objects and faces and the text in it. ' +
        'This was measured by a program, not seen by a model: it answers no questions about what the picture shows.',
    );
  });

  it('reads as well in Romanian, and numbers several pictures', () => {
    const text = describe([FACTS, { ...FACTS, frames: 3, file: null }], 'ro').join(' ');
    expect(text).toMatch(
      /^Imaginea 1\. Imagine PNG de 10 x 20 pixeli, întunecată\. Culori principale: albastru/,
    );
    expect(text).toMatch(/Imaginea 2\..*Conține 3 cadre/);
  });
});

suite('what was recognised', () => {
  const box = { x: 0, y: 0, width: 1, height: 1 };
  const object = (label: string, ro: string) => ({ label, name: { en: label, ro }, score: 0.9, box });
  const content = {
    ...{ request_id: '', media_type: 'image', mime_type: 'image/png', size_bytes: 1, sha256: '' },
    ...{ width: 1, height: 1, engines: [], degraded: [], detection_time_ms: 1, nudity: 0 },
    faces: [{ score: 0.9, box }],
    objects: [object('dog', 'câine'), object('person', 'persoană'), object('dog', 'câine')],
  } satisfies Omit<NonNullable<PictureFacts['content']>, 'media_type'> & { media_type: string };
  const facts = { ...FACTS, content: { ...content, media_type: 'image' as const }, text: 'STOP\nnow' };

  it('is told by its number in the language of the question, words as a quotation', () => {
    const english = describe([facts], 'en').join(' ');
    expect(english).toContain(
      'Recognised in it: dog (2) and person. Faces in it: 1. Words in it: “STOP now”.',
    );
    expect(describe([facts], 'ro').join(' ')).toContain(
      'S-au recunoscut: câine (2) și persoană. Chipuri în ea: 1. Cuvinte în ea: „STOP now”.',
    );
  });

  it('may be nothing', () => {
    const nothing = { ...facts, text: '', content: { ...facts.content, faces: [], objects: [] } };
    expect(describe([nothing], 'en').join(' ')).toContain('No known object and no face was recognised.');
  });
});
