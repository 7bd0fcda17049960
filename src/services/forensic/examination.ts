import type { DecodedPicture } from '../../media/image/decode-reply.ts';
import { type FileFacts, readFile } from '../../media/image/file-facts.ts';
import { brightnessSteps, type JpegStructure, readJpegStructure } from '../../media/image/jpeg-structure.ts';
import { hashPicture, type PictureHash } from '../../media/image/pdq.ts';
import { cropPlane, type Plane } from '../../media/image/raster.ts';
import type { Detector } from './contract.ts';
import { type CopyMove, findCopyMove } from './detectors/copy-move.ts';
import { findDoubleQuantisation } from './detectors/double-quantisation.ts';
import { findFaintCopy } from './detectors/faint-copies.ts';
import { findJpegGrid } from './detectors/jpeg-grid.ts';
import { noiseRatios } from './detectors/noise.ts';
import { errorLevels, ghostQualities } from './detectors/recompression.ts';
import type { Finding } from './findings.ts';
import * as detectorFindings from './findings.ts';

/** One picture to examine: its file, and its pixels as a process of their own has decoded them. */
export interface ExaminationInput {
  readonly file: Uint8Array;
  readonly picture: DecodedPicture;
  /** quick: nothing looks at the pixels but the hash. */
  readonly depth: 'full' | 'quick';
}

/** What was found in a picture. */
export interface Examination {
  readonly hash: PictureHash;
  readonly file: FileFacts;
  readonly findings: readonly Finding[];
  /** Detectors that failed, with what they said. */
  readonly failed: readonly { readonly detector: Detector; readonly message: string }[];
}

/** A part of a picture that a detector looked at. */
export interface Area {
  readonly plane: Plane;
  /** Where it begins, in pixels of the picture. */
  readonly left: number;
  readonly top: number;
}

/** Pixels that detectors look at; of a larger picture its middle. */
const MOST_PIXELS = 4_000_000;
/** Double quantisation is cheap enough for what phones take. */
const MOST_QUANTISED_PIXELS = 16_000_000;

/** The middle of a picture on its 8-pixel grid; never a smaller copy, which would have no traces left. */
function middleOf(plane: Plane, mostPixels: number): Area {
  if (plane.width * plane.height <= mostPixels) return { plane, left: 0, top: 0 };
  const scale = Math.sqrt(mostPixels / (plane.width * plane.height));
  const onGrid = (length: number) => Math.floor(length / 8) * 8;
  const [width, height] = [onGrid(plane.width * scale), onGrid(plane.height * scale)];
  const [left, top] = [onGrid((plane.width - width) / 2), onGrid((plane.height - height) / 2)];
  return { plane: cropPlane(plane, left, top, width, height), left, top };
}

type Detectors = Partial<Record<Detector, () => Finding>>;

/** The detectors that look at the pixels. */
function pixelDetectors(picture: DecodedPicture, structure: JpegStructure | undefined): Detectors {
  const whole: Plane = {
    width: picture.width,
    height: picture.height,
    values: Float32Array.from(picture.brightness),
  };
  const area = middleOf(whole, MOST_PIXELS);
  return {
    double_quantisation: () => quantisation(middleOf(whole, MOST_QUANTISED_PIXELS), picture, structure),
    copy_move: () => detectorFindings.copyMove(copiesIn(whole)),
    jpeg_grid: () => grid(area, picture.format),
    error_level: () => detectorFindings.errorLevel(errorLevels(area.plane), area),
    ghost: () => detectorFindings.ghost(ghostQualities(area.plane), area),
    noise: () => detectorFindings.noise(noiseRatios(area.plane), area),
  };
}

/** Copies with details of their own are found by their blocks; what else may be there is looked for only without any. */
function copiesIn(whole: Plane): CopyMove {
  const byBlocks = findCopyMove(whole);
  if (byBlocks.verified) return byBlocks;
  const faint = findFaintCopy(whole);
  return faint.verified ? faint : byBlocks;
}

/** Runs the detectors over a picture, one after the other; one that fails takes no other with it. */
export async function runDetectors({ file, picture, depth }: ExaminationInput): Promise<Examination> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const structure = readJpegStructure(bytes);
  const facts = await readFile(bytes, structure);
  const detectors: Detectors = {
    generator_metadata: () => detectorFindings.generatorMetadata(facts),
    file_history: () => detectorFindings.fileHistory(facts),
    ...(depth === 'full' && pixelDetectors(picture, structure)),
  };
  const findings: Finding[] = [];
  const failed: { detector: Detector; message: string }[] = [];
  for (const [detector, run] of Object.entries(detectors) as [Detector, () => Finding][]) {
    try {
      findings.push(run());
    } catch (error) {
      failed.push({ detector, message: error instanceof Error ? error.message : String(error) });
    }
  }
  const { width, height } = picture.thumbnail;
  return { hash: hashPicture({ width, height, rgb: picture.thumbnailRgb }), file: facts, findings, failed };
}

/** The cut-off pixels of the blocks of an area. */
function clippedIn({ plane, left, top }: Area, { width, height, clipped }: DecodedPicture): Plane {
  const all = {
    width: Math.ceil(width / 8),
    height: Math.ceil(height / 8),
    values: Float32Array.from(clipped),
  };
  return cropPlane(all, left / 8, top / 8, Math.ceil(plane.width / 8), Math.ceil(plane.height / 8));
}

function quantisation(area: Area, picture: DecodedPicture, structure: JpegStructure | undefined): Finding {
  if (structure === undefined) return detectorFindings.notApplicable('double_quantisation', 'not_jpeg');
  const steps = brightnessSteps(structure);
  if (steps === undefined)
    return detectorFindings.notApplicable('double_quantisation', 'no_quantisation_table');
  const result = findDoubleQuantisation(area.plane, clippedIn(area, picture), steps);
  if (result === undefined) return detectorFindings.notApplicable('double_quantisation', 'too_small');
  return result.savedTwice
    ? detectorFindings.doubleQuantisation(result, area)
    : detectorFindings.notApplicable('double_quantisation', 'saved_once');
}

/** Formats that keep pixels as they are: only there can parts bring grids of their own that no later save has covered. */
const LOSSLESS = new Set(['png', 'tiff', 'gif']);

function grid(area: Area, format: string): Finding {
  if (!LOSSLESS.has(format)) return detectorFindings.notApplicable('jpeg_grid', 'lossy_container');
  const result = findJpegGrid(area.plane);
  return result.main === null
    ? detectorFindings.notApplicable('jpeg_grid', 'never_jpeg')
    : detectorFindings.jpegGrid(result, area);
}
