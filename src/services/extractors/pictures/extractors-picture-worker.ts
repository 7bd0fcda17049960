import sharp from 'sharp';
import { type Brightness, type Drawing, drawErrorLevel } from './error-level.ts';
import { spectrogram } from './spectrogram.ts';
import { waveform } from './waveform.ts';

/** What a thread is to draw. */
export type DrawingTask =
  | { readonly kind: 'error_level'; readonly picture: Brightness; readonly orientation: number }
  | { readonly kind: 'spectrogram' | 'waveform'; readonly samples: Float32Array };

/** A drawing as a file. */
export interface RenderedPicture {
  readonly width: number;
  readonly height: number;
  readonly png: Uint8Array;
}

/** Turns of EXIF as sharp has them: degrees, and whether the picture is mirrored before. */
const TURNS: Readonly<Record<number, readonly [degrees: number, isMirrored: boolean]>> = {
  2: [0, true],
  3: [180, false],
  4: [180, true],
  5: [270, true],
  6: [90, false],
  7: [90, true],
  8: [270, false],
};

/** One channel, where sharp would make three of it. */
const GREY = 'b-w';

async function saved({ width, height, pixels }: Drawing, orientation: number): Promise<RenderedPicture> {
  const [degrees, isMirrored] = TURNS[orientation] ?? [0, false];
  const { data, info } = await sharp(pixels, { raw: { width, height, channels: 1 } })
    .flop(isMirrored)
    .toColourspace(GREY)
    .toBuffer({ resolveWithObject: true })
    .then(({ data: shown }) =>
      sharp(shown, { raw: { width, height, channels: 1 } })
        .rotate(degrees)
        .toColourspace(GREY)
        .png()
        .toBuffer({ resolveWithObject: true }),
    );
  return { width: info.width, height: info.height, png: data };
}

/** Draws one picture in this thread. */
export default async function drawInThread(task: DrawingTask): Promise<RenderedPicture> {
  if (task.kind === 'error_level') return saved(await drawErrorLevel(task.picture), task.orientation);
  return saved(task.kind === 'waveform' ? waveform(task.samples) : spectrogram(task.samples), 1);
}
