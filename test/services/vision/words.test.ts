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
