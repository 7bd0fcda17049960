import { randomUUID } from 'node:crypto';
import { type CallerShareHeaders, fairQueueKey } from '../../foundation/caller-share.ts';
import { DeadlineError } from '../../foundation/deadline.ts';
import type { FairQueue } from '../../foundation/fair-queue.ts';
import type { ObjectName, ObjectStore } from '../../foundation/objects/object-store.ts';
import type { Call, Handlers } from '../../foundation/service.ts';
import { DECODED_TYPES } from '../../media/image/decoder.ts';
import { describeFileFacts } from '../../media/image/file-facts-report.ts';
import type { extractors } from './contract.ts';
import { errors } from './errors.ts';
import type { FileIntake, FileReference } from './incoming/file-intake.ts';
import type { MediaFile } from './incoming/media-file.ts';
import type { Metadata, MetadataReader } from './metadata/metadata.ts';
import type { PictureOcrResult, TextReader } from './ocr/ocr.ts';
import type { Box } from './ocr/tesseract.ts';
import type { RecognisedText } from './ocr/text-recognition.ts';
import type { OverviewMaker } from './overview/overview.ts';
import type { DrawingOutcome, PictureRenderer } from './pictures/picture-renderer.ts';
import type { Detection } from './recognition/extractors-recognition-worker.ts';
import type { RecognisedPicture, Recogniser } from './recognition/recognition.ts';
import type { MediumMetadata } from './resources/metadata.ts';
import { objectName } from './resources/object-names.ts';
import type { PictureText } from './resources/ocr.ts';
import type { PictureContent } from './resources/picture-content.ts';
import { REASONS, type Reason } from './resources/reasons.ts';
import type { TextAnalyser } from './text/texts.ts';

/** What the routes work with. */
export interface ExtractorsDependencies {
  readonly objects: ObjectStore;
  readonly arrivals: FileIntake;
  /** Counts requests from before their files are received. */
  readonly admission: Pick<FairQueue, 'admitted'>;
  readonly metadata: MetadataReader;
  readonly text: TextReader;
  readonly recogniser: Recogniser;
  readonly renderer: PictureRenderer;
  readonly overview: OverviewMaker;
  readonly analyst: TextAnalyser;
  /** Removes pictures of earlier days. */
  readonly sweep: () => Promise<void>;
}

/** A body of an operation on one file, as the foundation hands it on. */
interface MediumBody<Fields extends object, Json extends FileReference> {
  receive(
    sink: FileIntake['sink'],
  ): Promise<
    { readonly json: Json } | { readonly fields: Fields; readonly files: { readonly file: MediaFile } }
  >;
}

function asTimeout(error: unknown): unknown {
  return error instanceof DeadlineError && error.reason === 'timeout'
    ? errors.timeout({ cause: error })
    : error;
}

/** Work whose overrun time limit becomes an error of the table. */
const withinTime = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw asTimeout(error);
  });

const objectOf = ({ object }: FileReference): ObjectName | undefined =>
  object && { bucket: object.bucket, key: object.object_key };

/** How a file comes in, and for whom. */
interface IntakeContext extends Pick<ExtractorsDependencies, 'arrivals' | 'admission'> {
  readonly caller: string;
}

/** Lends the file of a request with the options that came with it; a file that came as a form is removed afterwards. */
async function withMedium<Fields extends object, Json extends FileReference & Fields, Result>(
  body: MediumBody<Fields, Json>,
  { arrivals, admission, caller }: IntakeContext,
  use: (medium: MediaFile, options: Fields, source: ObjectName | undefined) => Promise<Result>,
): Promise<Result> {
  const receive = async () => {
    const received = await body.receive(arrivals.sink);
    if ('json' in received)
      return arrivals.withReferencedFile(received.json, (medium) =>
        use(medium, received.json, objectOf(received.json)),
      );
    try {
      return await use(received.files.file, received.fields, undefined);
    } finally {
      await arrivals.sink.discard(received.files.file);
    }
  };
  return withinTime(admission.admitted(caller, receive));
}

function pictureBytes({ bytes, mimeType }: MediaFile): Buffer {
  if (bytes === undefined || !DECODED_TYPES.has(mimeType)) throw errors.unsupported_media();
  return bytes;
}

const factsOfMedium = ({ kind, mimeType, sizeBytes, sha256 }: MediaFile) => ({
  request_id: randomUUID(),
  media_type: kind,
  mime_type: mimeType,
  size_bytes: sizeBytes,
  sha256,
});

function containerOf({ mimeType }: MediaFile, { picture, recording }: Metadata): MediumMetadata['container'] {
  if (picture !== null)
    return {
      format: mimeType.slice(mimeType.indexOf('/') + 1).toUpperCase(),
      width: picture.width,
      height: picture.height,
      duration_sec: null,
      tracks: 1,
      encoder: null,
      picture: null,
      sound: null,
    };
  if (recording === null) return null;
  const { container, durationSec, tracks, encoder, picture: shown, sound } = recording;
  return {
    format: container,
    width: shown?.width ?? null,
    height: shown?.height ?? null,
    duration_sec: durationSec,
    tracks,
    encoder,
    picture:
      shown === null
        ? null
        : { codec: shown.codec, frames_per_second: shown.framesPerSecond, pixel_shape: shown.pixelShape },
    sound:
      sound === null
        ? null
        : {
            codec: sound.codec,
            sample_rate: sound.sampleRate,
            channels: sound.channels,
            bit_rate: sound.bitRate,
          },
  };
}

function metadataOf(
  medium: MediaFile,
  read: Metadata,
  drawn: readonly DrawingOutcome[],
  withPlace: boolean,
  elapsedMs: number,
): MediumMetadata {
  const texts = read.picture?.texts;
  const lostDrawings = drawn.flatMap((one) =>
    'reason' in one ? [{ part: one.kind, reason: one.reason }] : [],
  );
  return {
    ...factsOfMedium(medium),
    facts: read.picture && describeFileFacts(read.picture.facts),
    exif: texts?.exif ?? {},
    xmp: texts?.xmp ?? {},
    iptc: texts?.iptc ?? {},
    text: texts?.text ?? {},
    has_location: texts?.hasPlace ?? false,
    location: withPlace ? (read.picture?.place ?? null) : null,
    container: containerOf(medium, read),
    c2pa: read.provenance,
    pictures: drawn.flatMap((one) => ('reason' in one ? [] : [one])),
    degraded: [...read.lost, ...lostDrawings].map(({ part, reason }) => ({
      part,
      reason,
      ...REASONS[reason],
    })),
    extraction_time_ms: Math.round(elapsedMs),
  };
}

const UNREAD: RecognisedText = {
  lines: [],
  passes: [],
  skipped: [],
  language: undefined,
  orientation: 'upright',
};
const OCR_ENGINE = { model: 'tesseract', version: '5.1.0 (tesseract.js-core 7.0.0, best_int)' };

function textOf(
  medium: MediaFile,
  { width, height, scale, text: recognised, missingLanguages }: PictureOcrResult,
  elapsedMs: number,
): PictureText {
  const scaled = ({ x, y, width: across, height: down }: Box): Box => ({
    x: Math.round(x * scale),
    y: Math.round(y * scale),
    width: Math.round(across * scale),
    height: Math.round(down * scale),
  });
  const { lines, passes, skipped, language, orientation } =
    typeof recognised === 'string' ? UNREAD : recognised;
  const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
  const sure = lines.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0);
  return {
    ...factsOfMedium(medium),
    width,
    height,
    text: typeof recognised === 'string' ? null : lines.map(({ text }) => text).join('\n'),
    language: language ?? 'und',
    standing: orientation,
    confidence: letters === 0 ? null : sure / letters,
    lines: lines.map(({ text, confidence, box, words }) => ({
      text,
      confidence,
      box: scaled(box),
      words: words.map((word) => ({ text: word.text, confidence: word.confidence, box: scaled(word.box) })),
    })),
    passes: passes.map(({ view, language: tried, score, durationMs }) => ({
      view,
      language: tried,
      score,
      duration_ms: Math.round(durationMs),
    })),
    engine: OCR_ENGINE,
    degraded: [
      ...(typeof recognised === 'string'
        ? [{ part: 'text' as const, reason: recognised, ...REASONS[recognised] }]
        : missingLanguages.map((part) => ({
            part,
            reason: 'engine_missing' as const,
            ...REASONS.engine_missing,
          }))),
      ...skipped.map(() => ({ part: 'whole' as const, reason: 'timeout' as const, ...REASONS.timeout })),
    ],
    reading_time_ms: Math.round(elapsedMs),
  };
}

const RECOGNISED = {
  en: 'Faces, objects and nudity are recognised here.',
  ro: 'Aici se recunosc fețe, obiecte și nuditate.',
};
const RECOGNITION_ENGINES = [
  { model: 'human (blazeface, centernet)', version: '3.3.6' },
  { model: 'nsfwjs (mobilenet_v2_mid)', version: '4.4.0' },
];

function contentOf(medium: MediaFile, result: RecognisedPicture | Reason, elapsedMs: number): PictureContent {
  const picture = typeof result === 'string' ? undefined : result;
  const facts = {
    ...factsOfMedium(medium),
    width: picture?.width ?? null,
    height: picture?.height ?? null,
    engines: RECOGNITION_ENGINES,
    detection_time_ms: Math.round(elapsedMs),
  };
  const recognised = typeof result === 'string' ? result : result.recognised;
  if (typeof recognised === 'string') {
    const parts = ['faces', 'objects', 'nudity'] as const;
    const degraded = parts.map((part) => ({ part, reason: recognised, ...REASONS[recognised] }));
    return { ...facts, faces: null, objects: null, nudity: null, degraded };
  }
  const scale = picture?.scale ?? 1;
  const place = ({ score, box }: Detection) => {
    const [x, y, width, height] = box.map((side) => Math.round(side * scale)) as [
      number,
      number,
      number,
      number,
    ];
    return { score, box: { x, y, width, height } };
  };
  return {
    ...facts,
    faces: recognised.faces.map(place),
    objects: recognised.objects.map((found) => ({
      label: found.label,
      name: objectName(found.label),
      ...place(found),
    })),
    nudity: recognised.nudity,
    degraded: [],
  };
}

/** Handlers of the extractors service. */
export function extractorsRoutes({
  arrivals,
  admission,
  metadata,
  text,
  recogniser,
  renderer,
  overview,
  analyst,
}: ExtractorsDependencies): Handlers<typeof extractors.operations> {
  const intakeOf = (headers: CallerShareHeaders, call: Call): IntakeContext => ({
    arrivals,
    admission,
    caller: fairQueueKey(headers, call),
  });
  return {
    metadata: ({ body, headers }, call) =>
      withMedium(body, intakeOf(headers, call), async (medium, { location, pictures }, source) => {
        const started = performance.now();
        const caller = fairQueueKey(headers, call);
        const read = await metadata.read(medium, location, caller, call.signal);
        const drawn = await renderer.draw(medium, pictures, source, caller, call.signal);
        return metadataOf(medium, read, drawn, location, performance.now() - started);
      }),
    detect: ({ body, headers }, call) =>
      withMedium<object, FileReference, PictureContent>(body, intakeOf(headers, call), async (medium) => {
        const started = performance.now();
        const caller = fairQueueKey(headers, call);
        const recognised = await recogniser.recognise(pictureBytes(medium), caller, call.signal);
        return contentOf(medium, recognised, performance.now() - started);
      }),
    recognition: async () => ({
      installed: recogniser.isInstalled,
      ...(recogniser.isInstalled ? RECOGNISED : REASONS.engine_missing),
    }),
    overview: ({ body, headers }, call) =>
      withMedium(body, intakeOf(headers, call), async (medium, { parts }) => {
        const started = performance.now();
        const { lost, ...made } = await overview.make(
          medium,
          parts,
          fairQueueKey(headers, call),
          call.signal,
        );
        const degraded = lost.map(({ part, reason }) => ({ part, reason, ...REASONS[reason] }));
        const overview_time_ms = Math.round(performance.now() - started);
        return { ...factsOfMedium(medium), ...made, degraded, overview_time_ms };
      }),
    ner: async ({ body, headers }, call) => ({
      request_id: randomUUID(),
      ...(await withinTime(analyst.names(body, fairQueueKey(headers, call), call.signal))),
    }),
    sentiment: async ({ body, headers }, call) => ({
      request_id: randomUUID(),
      ...(await withinTime(analyst.sentiment(body, fairQueueKey(headers, call), call.signal))),
    }),
    ocr: ({ body, headers }, call) =>
      withMedium(body, intakeOf(headers, call), async (medium, { languages }) => {
        const started = performance.now();
        const read = await text.read(
          pictureBytes(medium),
          languages,
          fairQueueKey(headers, call),
          call.signal,
        );
        return textOf(medium, read, performance.now() - started);
      }),
  };
}
