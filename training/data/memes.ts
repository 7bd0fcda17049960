import sharp from 'sharp';

/** What is written over a picture, line by line. */
export interface MemeText {
  readonly language: 'en' | 'ro';
  readonly lines: readonly string[];
}

/** Sentences as people spread them, written for this purpose. */
export const MEMES: readonly MemeText[] = [
  { language: 'en', lines: ['THEY PUT CHIPS IN THE BREAD', 'SHARE BEFORE IT IS GONE'] },
  { language: 'en', lines: ['Doctors do not want you to know', 'this trick with lemon and salt'] },
  { language: 'en', lines: ['THE MAYOR SOLD THE PARK', 'for 3 million in one night'] },
  { language: 'en', lines: ['Vaccines changed 4 out of 5 people', 'says a leaked report'] },
  { language: 'en', lines: ['WAKE UP! THE BANKS', 'WILL CLOSE ON FRIDAY'] },
  { language: 'ro', lines: ['NE ASCUND ADEVĂRUL', 'DESPRE APA DE LA ROBINET'] },
  { language: 'ro', lines: ['Guvernul taie pensiile', 'din luna următoare, fără să anunțe'] },
  { language: 'ro', lines: ['ÎNCHID ȘCOLILE PÂNĂ ÎN MAI', 'distribuie până nu se șterge'] },
  { language: 'ro', lines: ['Țara noastră plătește', 'de 7 ori mai mult pentru gaze'] },
  { language: 'ro', lines: ['TREZIȚI-VĂ, OAMENI BUNI!', 'BĂNCILE ÎȘI ȚIN BANII VOȘTRI'] },
];

/** How letters are drawn, and on what. */
export interface MemeStyle {
  readonly name: string;
  readonly font: string;
  readonly fill: string;
  readonly edge: string | null;
  /** A bar behind the letters. */
  readonly bar: string | null;
  /** Height of letters for each pixel of the width. */
  readonly size: number;
  readonly quality: number;
}

/** The looks of most such pictures: edged letters over the picture, or letters on a bar. */
export const MEME_STYLES: readonly MemeStyle[] = [
  {
    name: 'white edged',
    font: 'DejaVu Sans',
    fill: '#fff',
    edge: '#000',
    bar: null,
    size: 0.052,
    quality: 82,
  },
  {
    name: 'yellow edged',
    font: 'DejaVu Sans',
    fill: '#ffea00',
    edge: '#000',
    bar: null,
    size: 0.046,
    quality: 75,
  },
  {
    name: 'black on white bar',
    font: 'DejaVu Sans',
    fill: '#111',
    edge: null,
    bar: '#fff',
    size: 0.04,
    quality: 80,
  },
  {
    name: 'white on orange bar',
    font: 'DejaVu Serif',
    fill: '#fff',
    edge: null,
    bar: '#e0660a',
    size: 0.042,
    quality: 80,
  },
  {
    name: 'black edged white',
    font: 'DejaVu Serif',
    fill: '#0a0a0a',
    edge: '#fff',
    bar: null,
    size: 0.05,
    quality: 85,
  },
];

/** Width of the pictures that are made; platforms use about this. */
const WIDTH = 1000;

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** A photo with text over it, saved as JPEG. */
export async function memeOver(photo: Buffer, lines: readonly string[], style: MemeStyle): Promise<Buffer> {
  const { data, info } = await sharp(photo)
    .rotate()
    .resize(WIDTH, undefined, { withoutEnlargement: false })
    .toBuffer({ resolveWithObject: true });
  const size = Math.round(style.size * WIDTH);
  const places = lines.map((_, index) => (index === 0 ? 2 * size : info.height - size));
  const drawing = lines.map((line, index) => {
    const y = places[index] ?? size;
    const bar =
      style.bar === null
        ? ''
        : `<rect x="0" y="${y - 1.4 * size}" width="${WIDTH}" height="${2 * size}" fill="${style.bar}"/>`;
    const edge =
      style.edge === null
        ? ''
        : `stroke="${style.edge}" stroke-width="${size / 7}" stroke-linejoin="round" paint-order="stroke"`;
    return `${bar}<text x="${WIDTH / 2}" y="${y}" font-family="${style.font}" font-weight="bold" font-size="${size}" text-anchor="middle" fill="${style.fill}" ${edge}>${escaped(line)}</text>`;
  });
  const overlay = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${info.height}">${drawing.join('')}</svg>`,
  );
  return sharp(data)
    .composite([{ input: overlay }])
    .jpeg({ quality: style.quality })
    .toBuffer();
}
