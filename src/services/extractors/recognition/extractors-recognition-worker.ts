import type { Human, RawBox } from '../../../media/human.ts';
import type { ColourPicture } from '../colour-picture.ts';
import { type GraphModel, loadNudity, loadRecogniser, recognitionFolder } from './packages.ts';

/** A place in the picture that was looked at, in its pixels. */
export interface Detection {
  readonly score: number;
  readonly box: RawBox;
}

/** What was recognised in a picture. */
export interface RecognitionResult {
  readonly faces: readonly Detection[];
  readonly objects: readonly (Detection & { readonly label: string })[];
  /** 0 to 1: photographed and drawn together. */
  readonly nudity: number;
}

/**
 * Scores from which something is reported (models/recognition.md). Of faces there is a gap between 0.60, where faces are seen in
 * window frames and animals, and 0.84.
 */
const LIMITS = { leastFace: 0.7, leastObject: 0.4, most: 50 } as const;
/** The longer side of the copy in which objects are looked for. */
const DETECTION_SIDE = 800;
/** The side of the square that the model of nudity was trained on. */
const NUDITY_SIDE = 224;
/** Places of the classes of nsfwjs: hentai and porn; drawing, neutral and sexy are no nudity. */
const NUDE = [1, 3] as const;
const HIGHEST = 255;

let engines: Promise<{ human: Human; nudity: GraphModel }> | undefined;

async function open() {
  const folder = recognitionFolder();
  const human = await loadRecogniser(folder, LIMITS);
  return { human, nudity: await loadNudity(folder) };
}

async function nudityOf({ tf }: Human, model: GraphModel, { width, height, rgb }: ColourPicture) {
  const output = tf.tidy(() => {
    const whole = tf.div(tf.cast(tf.tensor(rgb, [1, height, width, 3], 'int32'), 'float32'), HIGHEST);
    return model.predict(tf.image.resizeBilinear(whole, [NUDITY_SIDE, NUDITY_SIDE], true));
  });
  const classes = await output.data();
  output.dispose();
  return Math.min(
    1,
    NUDE.reduce((sum, place) => sum + (classes[place] ?? 0), 0),
  );
}

/** Recognises what a picture shows, in this thread. */
export default async function recognise(picture: ColourPicture): Promise<RecognitionResult> {
  engines ??= open();
  const { human, nudity: model } = await engines.catch((error: unknown) => {
    engines = undefined;
    throw error;
  });
  const { tf } = human;
  const { width, height, rgb } = picture;
  const factor = Math.min(1, DETECTION_SIDE / Math.max(width, height));
  const [across, down] = [Math.round(width * factor), Math.round(height * factor)];
  const small = tf.tidy(() => {
    const whole = tf.tensor(rgb, [height, width, 3], 'int32');
    return factor === 1
      ? whole
      : tf.cast(tf.image.resizeBilinear(whole, [down, across], false, true), 'float32');
  });
  try {
    const { error, face, object } = await human.detect(small);
    if (typeof error === 'string' && error !== '') throw new Error(error);
    const toOriginal = ([x, y, wide, high]: RawBox): RawBox => [
      x / factor,
      y / factor,
      wide / factor,
      high / factor,
    ];
    return {
      faces: face
        .filter(({ score }) => score >= LIMITS.leastFace)
        .map(({ score, box }) => ({ score, box: toOriginal(box) })),
      objects: object
        .filter(({ score }) => score >= LIMITS.leastObject)
        .map(({ label, score, box }) => ({ label, score, box: toOriginal(box) })),
      nudity: await nudityOf(human, model, picture),
    };
  } finally {
    small.dispose();
  }
}
