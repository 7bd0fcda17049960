import type { LocalizedText } from '../../foundation/localized-text.ts';
import type { FileFacts } from '../../media/image/file-facts.ts';
import type { Plane } from '../../media/image/raster.ts';
import { WEIGHTS, type Weight } from './calibration.ts';
import type { Detector } from './contract.ts';
import { componentBounds, type Region } from './detectors/components.ts';
import { type CopyMove, LEAST_CELLS } from './detectors/copy-move.ts';
import { DETECTION_THRESHOLD, type DoubleQuantisation } from './detectors/double-quantisation.ts';
import { type JpegGrid, STRIDE } from './detectors/jpeg-grid.ts';
import type { InapplicableCode } from './words.ts';

/** Values of a detector over the picture, as a picture shows them. */
export interface HeatMap {
  readonly plane: Plane;
  /** Pixels of the picture for each cell, and where the first cell begins. */
  readonly cellSide: number;
  readonly left: number;
  readonly top: number;
  /** Values that are shown as nothing and as full colour. */
  readonly from: number;
  readonly to: number;
}

/** What one detector found in a picture. */
export interface Finding {
  readonly detector: Detector;
  readonly inapplicable: InapplicableCode | null;
  /** The detector's own number, and from which it counts as found; null for those that only show. */
  readonly score: number | null;
  readonly threshold: number | null;
  readonly isFound: boolean | null;
  readonly weight: Weight;
  readonly words: LocalizedText | null;
  readonly regions: readonly Region[];
  readonly map: HeatMap | null;
}

const NONE: Omit<Finding, 'detector'> = {
  inapplicable: null,
  score: null,
  threshold: null,
  isFound: null,
  weight: WEIGHTS.display,
  words: null,
  regions: [],
  map: null,
};

/** Where a detector looked. */
interface Place {
  readonly left: number;
  readonly top: number;
}

/** A detector that cannot say anything of this picture. */
export function notApplicable(detector: Detector, inapplicable: InapplicableCode): Finding {
  return { ...NONE, detector, inapplicable };
}

const moved = (regions: readonly Region[], { left, top }: Place): Region[] =>
  regions.map((region) => ({ ...region, x: region.x + left, y: region.y + top }));

/** Marks the cells of a map from a value on. */
const marked = ({ values }: Plane, from: number) =>
  Uint8Array.from(values, (value) => (value >= from ? 1 : 0));

/** Smoothed block scores belong together from this many cells on. */
const LEAST_BLOCKS = 16;

/** The place alone: what is passed as one may be an area with pixels of its own. */
const placeOf = ({ left, top }: Place): Place => ({ left, top });

/** Parts that were not there at the first save. */
export function doubleQuantisation({ score, map }: DoubleQuantisation, place: Place): Finding {
  const isFound = score > DETECTION_THRESHOLD;
  return {
    ...NONE,
    detector: 'double_quantisation',
    score,
    threshold: DETECTION_THRESHOLD,
    isFound,
    weight: isFound ? WEIGHTS.doubleQuantisation : WEIGHTS.display,
    words: isFound
      ? {
          en: 'The picture was saved twice as a JPEG, but some parts only once: they were put in between the two saves.',
          ro: 'Imaginea a fost salvată de două ori ca JPEG, dar unele părți doar o dată: au fost introduse între cele două salvări.',
        }
      : null,
    regions: isFound
      ? moved(componentBounds(marked(map, DETECTION_THRESHOLD), map.width, 8, LEAST_BLOCKS), place)
      : [],
    map: {
      plane: map,
      cellSide: 8,
      ...placeOf(place),
      from: DETECTION_THRESHOLD / 2,
      to: 2 * DETECTION_THRESHOLD,
    },
  };
}

/** Parts that stand in the picture twice. */
export function copyMove({ cells, verified, shift, map, cellSide }: CopyMove): Finding {
  const words = {
    en: `A part of the picture stands in it twice, ${Math.abs(shift?.x ?? 0)} pixels across and ${Math.abs(shift?.y ?? 0)} down from itself.`,
    ro: `O parte a imaginii apare de două ori, la ${Math.abs(shift?.x ?? 0)} pixeli pe orizontală și ${Math.abs(shift?.y ?? 0)} pe verticală.`,
  };
  return {
    ...NONE,
    detector: 'copy_move',
    score: cells,
    threshold: LEAST_CELLS,
    isFound: verified,
    weight: verified ? WEIGHTS.copyMove : WEIGHTS.copyMoveVotes,
    words: verified ? words : null,
    regions: verified ? componentBounds(marked(map, 1), map.width, cellSide, 2) : [],
    map: { plane: map, cellSide, left: 0, top: 0, from: 0.5, to: 1 },
  };
}

/** Parts on a JPEG grid of their own. */
export function jpegGrid({ conflicts, map }: JpegGrid, place: Place): Finding {
  const isFound = conflicts.length > 0;
  return {
    ...NONE,
    detector: 'jpeg_grid',
    score: conflicts.length,
    threshold: 1,
    isFound,
    weight: isFound ? WEIGHTS.gridConflict : WEIGHTS.display,
    words: isFound
      ? {
          en: 'A part of the picture lies on another JPEG grid than the rest: it comes from elsewhere, or was moved.',
          ro: 'O parte a imaginii se află pe altă grilă JPEG decât restul: provine din altă parte sau a fost mutată.',
        }
      : null,
    regions: isFound ? moved(componentBounds(marked(map, 1), map.width, STRIDE, 1), place) : [],
    map: { plane: map, cellSide: STRIDE, ...placeOf(place), from: 0.5, to: 1 },
  };
}

/** Changes by one more save, for people to look at: twenty times as strong as they are. */
export function errorLevel(plane: Plane, place: Place): Finding {
  return {
    ...NONE,
    detector: 'error_level',
    map: { plane, cellSide: 16, ...placeOf(place), from: 0, to: 255 / 20 },
  };
}

/** Earlier qualities of parts, for people to look at. */
export function ghost(plane: Plane, place: Place): Finding {
  return { ...NONE, detector: 'ghost', map: { plane, cellSide: 8, ...placeOf(place), from: 0, to: 100 } };
}

/** Noise beside that of equally bright parts, for people to look at. */
export function noise(plane: Plane, place: Place): Finding {
  const values = plane.values.map((ratio) => Math.abs(Math.log2(Math.max(1 / 16, ratio))));
  return {
    ...NONE,
    detector: 'noise',
    map: { plane: { ...plane, values }, cellSide: 32, ...placeOf(place), from: 0.5, to: 2 },
  };
}

/** IPTC source types of pictures that a model made, whole or in part. */
const MADE = new Set(['trainedAlgorithmicMedia', 'compositeWithTrainedAlgorithmicMedia']);

/** Whether the file says that a model made it. */
export function generatorMetadata({ generator, digitalSourceType, ...facts }: FileFacts): Finding {
  const isDeclared = digitalSourceType !== null && MADE.has(digitalSourceType);
  const isFound = generator !== null || isDeclared;
  const name = generator?.name ?? digitalSourceType ?? '';
  if (!isFound && facts.software === null && facts.camera === null && digitalSourceType === null)
    return notApplicable('generator_metadata', 'no_metadata');
  return {
    ...NONE,
    detector: 'generator_metadata',
    score: isFound ? 1 : 0,
    threshold: 1,
    isFound,
    weight: WEIGHTS.generator,
    words: isFound
      ? {
          en: `The file itself says that a model made the picture (${name}).`,
          ro: `Fișierul însuși spune că imaginea a fost făcută de un model (${name}).`,
        }
      : null,
  };
}

/** What in the history of the file does not fit together. */
function odditiesOf({
  jpeg,
  camera,
  software,
  takenAt,
  modifiedAt,
  hasMakerNote,
}: FileFacts): LocalizedText[] {
  const oddities: LocalizedText[] = [];
  if (
    software !== null &&
    /photoshop|gimp|lightroom|affinity|pixelmator|snapseed|facetune|picsart|canva/i.test(software)
  )
    oddities.push({
      en: `it was saved by an editor (${software})`,
      ro: `a fost salvat de un editor (${software})`,
    });
  if (takenAt !== null && modifiedAt !== null && takenAt.slice(0, 10) !== modifiedAt.slice(0, 10))
    oddities.push({
      en: `it was changed on another day (${modifiedAt}) than it was taken (${takenAt})`,
      ro: `a fost modificat în altă zi (${modifiedAt}) decât cea a fotografierii (${takenAt})`,
    });
  if (camera !== null && !hasMakerNote && jpeg?.standardTable === true)
    oddities.push({
      en: 'it names a camera, but lacks the notes of its maker and has the compression table of a program',
      ro: 'numește un aparat, dar îi lipsesc notele producătorului și are tabelul de compresie al unui program',
    });
  if ((jpeg?.trailingBytes ?? 0) > 0)
    oddities.push({
      en: `${jpeg?.trailingBytes} bytes follow after the end of the picture`,
      ro: `${jpeg?.trailingBytes} octeți urmează după sfârșitul imaginii`,
    });
  return oddities;
}

/** What the file says of its history. */
export function fileHistory(facts: FileFacts): Finding {
  const oddities = odditiesOf(facts);
  const isFound = oddities.length > 0;
  if (!isFound && facts.jpeg === null && facts.camera === null && facts.software === null)
    return notApplicable('file_history', 'no_metadata');
  return {
    ...NONE,
    detector: 'file_history',
    score: oddities.length,
    threshold: 1,
    isFound,
    weight: isFound ? WEIGHTS.fileOddity : WEIGHTS.display,
    words: isFound
      ? {
          en: `The file has a history: ${oddities.map(({ en }) => en).join('; ')}.`,
          ro: `Fișierul are un istoric: ${oddities.map(({ ro }) => ro).join('; ')}.`,
        }
      : null,
  };
}
