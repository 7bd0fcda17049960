import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyOrientation } from '../../../src/services/extractors/colour-picture.ts';
import { deskewPage, lineBeforeDeskew, slopeOf } from '../../../src/services/extractors/ocr/deskew.ts';
import { mergeDiacritics } from '../../../src/services/extractors/ocr/diacritics.ts';
import { downscale, greyOf } from '../../../src/services/extractors/ocr/grey-picture.ts';
import { likeliestRun } from '../../../src/services/extractors/ocr/likeliest-run.ts';
import { linesOf, mergeLines } from '../../../src/services/extractors/ocr/lines.ts';
import type { OcrWord } from '../../../src/services/extractors/ocr/tesseract.ts';
import { textComponents } from '../../../src/services/extractors/ocr/text-components.ts';
import type { PictureText } from '../../../src/services/extractors/resources/ocr.ts';
import { photoLike } from '../forensic/pictures.ts';
import { openExtractors } from './extractors.ts';

let service: Awaited<ReturnType<typeof openExtractors>>;
beforeAll(async () => {
  service = await openExtractors();
});
afterAll(() => service.close());

/** Glyphs of five by seven cells: the tests draw letters themselves, whatever fonts the machine has. */
const GLYPHS: Readonly<Record<string, readonly string[]>> = {
  A: ['.###.', '#...#', '#...#', '#####', '#...#', '#...#', '#...#'],
  E: ['#####', '#....', '#....', '####.', '#....', '#....', '#####'],
  H: ['#...#', '#...#', '#...#', '#####', '#...#', '#...#', '#...#'],
  L: ['#....', '#....', '#....', '#....', '#....', '#....', '#####'],
  T: ['#####', '..#..', '..#..', '..#..', '..#..', '..#..', '..#..'],
};

/** Writes into a picture: letters of so many pixels a cell, with an edge of another shade around each cell. */
function written(
  rgb: Uint8Array,
  width: number,
  text: string,
  { left, top, cell, ink, edge }: { left: number; top: number; cell: number; ink: number; edge: number },
): void {
  const fill = (x: number, y: number, side: number, shade: number) => {
    for (let v = y; v < y + side; v += 1) rgb.fill(shade, 3 * (v * width + x), 3 * (v * width + x + side));
  };
  const each = (draw: (x: number, y: number) => void) => {
    for (const [index, letter] of [...text].entries())
      for (const [v, row] of (GLYPHS[letter] ?? []).entries())
        for (const [u, mark] of [...row].entries())
          if (mark === '#') draw(left + (7 * index + u) * cell, top + v * cell);
  };
  each((x, y) => fill(x - 4, y - 4, cell + 8, edge));
  each((x, y) => fill(x, y, cell, ink));
}

/** A busy picture with white, dark-edged letters on it. */
function meme(text: string): { width: number; height: number; rgb: Uint8Array } {
  const picture = photoLike(640, 360, 3);
  written(picture.rgb, 640, text, { left: 60, top: 40, cell: 8, ink: 250, edge: 10 });
  return picture;
}
const jpeg = ({ width, height, rgb }: ReturnType<typeof meme>) =>
  sharp(rgb, { raw: { width, height, channels: 3 } }).jpeg({ quality: 85 });

describe('POST /v1/ocr', () => {
  it('reads letters over a busy picture, and says where they are', async () => {
    const answer: PictureText = (
      await service.sendForm('ocr', await jpeg(meme('THE HALL')).toBuffer(), { languages: 'en' })
    ).json();
    expect(answer).toMatchObject({
      text: 'THE HALL',
      language: 'en',
      width: 640,
      height: 360,
      degraded: [],
      engine: { model: 'tesseract' },
    });
    expect(answer.lines[0]?.words.map(({ text }) => text)).toEqual(['THE', 'HALL']);
    const { x = 0, y = 0, height = 0 } = answer.lines[0]?.box ?? {};
    expect([Math.abs(x - 60) < 12, Math.abs(y - 40) < 12, Math.abs(height - 56) < 16]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('reads a picture as it is shown', async () => {
    const turned = await jpeg(meme('THE HALL')).toBuffer();
    const stored = await sharp(turned).rotate(270).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const answer: PictureText = (await service.sendForm('ocr', stored, { languages: 'en' })).json();
    expect([answer.text, answer.width, answer.height, answer.standing]).toEqual([
      'THE HALL',
      640,
      360,
      'upright',
    ]);
  });

  it.each([
    ['upside_down', (picture: Sharp) => picture.rotate(180), 360 - 40 - 42],
    ['mirrored', (picture: Sharp) => picture.flop(), 40],
  ] as const)('reads letters that stand %s, in their place', async (standing, turned, top) => {
    const { width, height, rgb } = photoLike(640, 360, 3);
    const lines = [
      ['THE LATE HALL', 40],
      ['ALL THAT HEAT', 130],
    ] as const;
    for (const [text, y] of lines) written(rgb, 640, text, { left: 60, top: y, cell: 6, ink: 250, edge: 10 });
    const upright = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
    const file = await turned(sharp(upright)).jpeg({ quality: 85 }).toBuffer();
    const answer: PictureText = (await service.sendForm('ocr', file, { languages: 'en' })).json();
    expect([answer.text, answer.standing]).toEqual(['THE LATE HALL\nALL THAT HEAT', standing]);
    // The first line, of 42 pixels, begins 40 below the top; upside down it ends as far above the bottom.
    expect(Math.abs((answer.lines[0]?.box.y ?? 0) - top)).toBeLessThan(12);
  });

  it('reads lines that rise, in their place', async () => {
    const { width, height, rgb } = photoLike(640, 360, 3);
    written(rgb, 640, 'THE LATE HALL', { left: 60, top: 150, cell: 6, ink: 250, edge: 10 });
    const rising = new Uint8Array(rgb.length);
    const up = (x: number) => Math.round(0.09 * (x - width / 2));
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) {
        const from = 3 * (Math.max(0, Math.min(height - 1, y + up(x))) * width + x);
        rising.set(rgb.subarray(from, from + 3), 3 * (y * width + x));
      }
    const answer: PictureText = (
      await service.sendForm('ocr', await jpeg({ width, height, rgb: rising }).toBuffer(), {
        languages: 'en',
      })
    ).json();
    expect([answer.text, answer.standing]).toEqual(['THE LATE HALL', 'upright']);
    const [first, last] = [answer.lines[0]?.words[0]?.box, answer.lines[0]?.words.at(-1)?.box];
    expect(Math.abs((first?.y ?? 0) - (150 - up(150)))).toBeLessThan(16);
    expect(Math.abs((last?.y ?? 0) - (150 - up(570)))).toBeLessThan(16);
  });

  it('finds nothing in an even surface', async () => {
    const plain = sharp({ create: { width: 200, height: 100, channels: 3, background: '#889' } }).png();
    const answer = (
      await service.sendJson('ocr', { data: (await plain.toBuffer()).toString('base64') })
    ).json();
    expect(answer).toMatchObject({ text: '', language: 'und', confidence: null, lines: [], degraded: [] });
  });

  it.each([
    ['unsupported_media', 400, () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['broken_media', 400, async () => (await jpeg(meme('A')).toBuffer()).subarray(0, 900)],
  ] as const)('answers %s (%i)', async (code, status, file) => {
    const answer = await service.sendForm('ocr', await file());
    expect([answer.statusCode, answer.json().detail.error]).toEqual([status, code]);
  });

  it('answers 422 for a language that is not read', async () => {
    const answer = await service.sendForm('ocr', await jpeg(meme('A')).toBuffer(), { languages: 'en,xx' });
    expect(answer.statusCode).toBe(422);
  });
});

describe('lines that rise or fall', () => {
  const page = (slope: number) => {
    const pixels = new Uint8Array(400 * 200).fill(255);
    for (const middle of [70, 130])
      for (let x = 40; x < 360; x += 1)
        for (let y = 0; y < 20; y += 1)
          if (x % 20 < 12) pixels[(middle + y + Math.round(slope * (x - 200))) * 400 + x] = 0;
    return { width: 400, height: 200, pixels };
  };

  it.each([0.1, -0.14])('are made level: %s', (slope) => {
    const found = slopeOf([page(slope)]);
    expect(found).toBeCloseTo(slope, 1);
    expect(slopeOf([deskewPage(page(slope), found)])).toBe(0);
  });

  it('are left as they are where they are level', () => {
    expect(slopeOf([page(0)])).toBe(0);
  });

  it('have boxes that hold them in the picture', () => {
    const word = { text: 'A', confidence: 1, line: '1', block: '1' };
    // A line of 400 pixels that falls by 40: its page has 20 rows more above.
    const box = { x: 0, y: 120, width: 400, height: 20 };
    const [line] = linesOf([{ ...word, text: 'ABCDE', box }]);
    if (line === undefined) throw new Error('there is a line');
    expect(lineBeforeDeskew(line, { width: 400 }, 0.1).box).toEqual({ x: 0, y: 80, width: 400, height: 60 });
  });
});

describe('letters that stand out', () => {
  it('are all that is left of a busy picture', () => {
    const picture = meme('LATE');
    const page = textComponents(picture, greyOf(picture), 'light');
    const dark = [...(page?.pixels ?? [])].flatMap((value, at) => (value < 128 ? [at] : []));
    const rows = dark.map((at) => Math.floor(at / 640));
    expect([Math.min(...rows) >= 36, Math.max(...rows) <= 100]).toEqual([true, true]);
    expect(dark.length).toBeGreaterThan(40 * 64);
  });

  it('are none where nothing is written', () => {
    const picture = photoLike(320, 240, 4);
    expect(textComponents(picture, greyOf(picture), 'light')).toBeUndefined();
  });
});

describe('a picture as it is shown', () => {
  const stored = { width: 2, height: 1, rgb: Uint8Array.from([1, 1, 1, 2, 2, 2]) };
  it.each([
    [1, 2, 1, [1, 2]],
    [2, 2, 1, [2, 1]],
    [3, 2, 1, [2, 1]],
    [6, 1, 2, [1, 2]],
    [8, 1, 2, [2, 1]],
  ])('with orientation %i', (orientation, width, height, values) => {
    const shown = applyOrientation(stored, orientation);
    expect([shown.width, shown.height]).toEqual([width, height]);
    expect([shown.rgb[0], shown.rgb[3]]).toEqual(values);
  });
});

const word = (text: string, line: string, y: number, confidence = 0.95): OcrWord => ({
  text,
  confidence,
  line,
  block: '1',
  box: { x: 10, y, width: 10 * text.length, height: 20 },
});

describe('marks of letters', () => {
  it.each([
    ['Tara', 'Țara', 'Țara'],
    ['fără', 'fara', 'fără'],
    ['plătește', 'plateste', 'plătește'],
    ['fâra', 'fără', 'fâră'],
    ['THE', 'THEY', 'THE'],
    ['casa', 'masa', 'casa'],
  ])('%s and %s make %s', (word, again, expected) => {
    expect(mergeDiacritics(word, again)).toBe(expected);
  });
});

describe('a smaller copy', () => {
  it('has the means of what it stands for', () => {
    expect(
      downscale({ width: 4, height: 2, pixels: Uint8Array.from([0, 10, 20, 30, 0, 10, 20, 30]) }, 0.5),
    ).toEqual({
      width: 2,
      height: 1,
      pixels: Uint8Array.from([5, 25]),
    });
  });
});

describe('lines', () => {
  it('are words without the noise at their ends', () => {
    const lines = linesOf([
      word('|', '1', 5, 0.2),
      word('Hello', '1', 5),
      word('~', '1', 5, 0.1),
      word('x', '2', 40, 0.2),
    ]);
    expect(lines.map(({ text }) => text)).toEqual(['Hello']);
  });

  it('of another look are added where nothing was read, in their place', () => {
    const best = linesOf([word('above', '1', 5), word('below', '2', 100)]);
    const other = linesOf([word('above', '3', 6), word('between', '4', 50), word('unsure', '5', 140, 0.7)]);
    expect(mergeLines(best, [other]).map(({ text }) => text)).toEqual(['above', 'between', 'below']);
  });

  it('are in the language whose words and letters they have', () => {
    const readings = [
      {
        language: 'en' as const,
        lines: linesOf([word('Tara', '1', 5), word('nu', '1', 5), word('este', '1', 5)]),
      },
      {
        language: 'ro' as const,
        lines: linesOf([word('Țara', '1', 5), word('nu', '1', 5), word('este', '1', 5)]),
      },
    ];
    expect(likeliestRun(readings)?.language).toBe('ro');
    expect(likeliestRun(readings.slice(0, 1))?.language).toBe('en');
    expect(likeliestRun([])).toBeUndefined();
  });
});
