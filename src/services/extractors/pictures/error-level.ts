import sharp from 'sharp';

/** Brightness of a picture as its file holds it. */
export interface Brightness {
  readonly width: number;
  readonly height: number;
  readonly values: Uint8Array;
}

/** A drawing of one byte a pixel. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** How the picture is saved once more (Krawetz 2007), and how much the differences are lightened. */
const QUALITY = 90;
const GAIN = 20;
/** The longer side of the drawing. */
const LONGEST_SIDE = 1024;

/** Differences of a picture from itself saved once more: parts with another history stand out, and so do sharp edges. */
export async function drawErrorLevel({ width, height, values }: Brightness): Promise<Drawing> {
  const raw = { width, height, channels: 1 } as const;
  const saved = await sharp(values, { raw, limitInputPixels: false }).jpeg({ quality: QUALITY }).toBuffer();
  const again = await sharp(saved, { limitInputPixels: false }).extractChannel(0).raw().toBuffer();
  const factor = Math.max(1, Math.ceil(Math.max(width, height) / LONGEST_SIDE));
  const [across, down] = [Math.ceil(width / factor), Math.ceil(height / factor)];
  const sums = new Float32Array(across * down);
  const counts = new Uint16Array(across * down);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const cell = Math.floor(y / factor) * across + Math.floor(x / factor);
      const at = y * width + x;
      sums[cell] = (sums[cell] ?? 0) + Math.abs((values[at] ?? 0) - (again[at] ?? 0));
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  const pixels = Uint8Array.from(sums, (sum, cell) =>
    Math.min(255, Math.round((GAIN * sum) / (counts[cell] ?? 1))),
  );
  return { width: across, height: down, pixels };
}
