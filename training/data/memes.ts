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

/** Looks in other typefaces, narrow ones among them, which such pictures have most. */
export const OTHER_STYLES: readonly MemeStyle[] = [
  {
    name: 'narrow, white edged',
    font: 'Liberation Sans Narrow',
    fill: '#fff',
    edge: '#000',
    bar: null,
    size: 0.066,
    quality: 80,
  },
  {
    name: 'white edged, of another family',
    font: 'Nimbus Sans',
    fill: '#fdfdfd',
    edge: '#111',
    bar: null,
    size: 0.05,
    quality: 78,
  },
  {
    name: 'yellow edged, with serifs',
    font: 'C059',
    fill: '#ffe600',
    edge: '#000',
    bar: null,
    size: 0.05,
    quality: 84,
  },
  {
    name: 'white on dark bar',
    font: 'Liberation Sans',
    fill: '#fff',
    edge: null,
    bar: '#222',
    size: 0.044,
    quality: 75,
  },
  {
    name: 'red on white bar',
    font: 'P052',
    fill: '#b00010',
    edge: null,
    bar: '#fff',
    size: 0.046,
    quality: 80,
  },
];

/** Other sentences for other looks: no threshold was chosen on them. */
export const OTHER_MEMES: readonly MemeText[] = [
  { language: 'en', lines: ['YOUR TAXES PAY FOR THIS', 'AND NOBODY ASKED YOU'] },
  { language: 'en', lines: ['The museum hid this map', 'for more than 60 years'] },
  { language: 'en', lines: ['Scientists are silent about', 'what the river carries'] },
  { language: 'en', lines: ['THEY LAUGHED AT HIM', 'UNTIL THE LIGHTS WENT OUT'] },
  { language: 'en', lines: ['Only 3 of 10 schools', 'tell parents the truth'] },
  { language: 'en', lines: ['Forward this to your family', 'before the new law comes'] },
  { language: 'ro', lines: ['PRIMARUL ȘI-A VÂNDUT SATUL', 'PENTRU O GRĂMADĂ DE BANI'] },
  { language: 'ro', lines: ['Medicii tac despre efectele', 'acestui medicament ieftin'] },
  { language: 'ro', lines: ['Așa arată pâinea pe care', 'o mănâncă toți copiii noștri'] },
  { language: 'ro', lines: ['NIMENI NU VORBEȘTE', 'DESPRE ȚĂRANII FĂRĂ PĂMÂNT'] },
  { language: 'ro', lines: ['Doar 2 din 9 spitale', 'își mai pot plăti asistentele'] },
  { language: 'ro', lines: ['Trimite asta și vecinilor', 'înainte să fie prea târziu'] },
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
