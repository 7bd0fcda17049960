import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Logger } from '../../../foundation/log.ts';
import type { ObjectName, ObjectStore } from '../../../foundation/objects/object-store.ts';
import type { Decoder } from '../../../media/image/decoder.ts';
import { RecordingError } from '../../../media/recording/programs.ts';
import { decodeSound } from '../../../media/recording/sound.ts';
import { errors } from '../errors.ts';
import { createFairThreadPool } from '../fair-thread-pool.ts';
import type { MediaFile } from '../incoming/media-file.ts';
import { pictureFailure } from '../picture-decoder.ts';
import { type DrawnPicture, PICTURE_WORDS, type PictureKind, pictureKey } from '../resources/pictures.ts';
import { RECORDING_REASONS, type Reason } from '../resources/reasons.ts';
import type { ExtractorsSettings } from '../settings.ts';
import type { DrawingTask, RenderedPicture as DrawnFile } from './extractors-picture-worker.ts';

/** A picture that was drawn and stored, or why it was not. */
export type DrawingOutcome = DrawnPicture | { readonly kind: PictureKind; readonly reason: Reason };

/** Draws pictures of media and stores them. */
export interface PictureRenderer {
  /** `source` is the stored object that the medium came from. Throws failures of the table. */
  draw(
    medium: MediaFile,
    kinds: readonly PictureKind[],
    source: ObjectName | undefined,
    caller: string,
    signal: AbortSignal,
  ): Promise<DrawingOutcome[]>;
  /** Draws pictures of a sound or video, decoded once, without storing them. */
  render(
    medium: MediaFile,
    kinds: readonly SoundKind[],
    caller: string,
    signal: AbortSignal,
  ): Promise<RenderedSound[]>;
  close(): Promise<void>;
}

/** Pictures of sound that are not stored. */
type SoundKind = 'waveform' | 'spectrogram';

/** A picture of sound as a file, or why there is none. */
export type RenderedSound = { readonly kind: SoundKind } & (DrawnFile | { readonly reason: Reason });

/** Bucket for pictures of media that are not stored objects themselves; keys begin with the day. */
export const EXTRACTED_BUCKET = 'extracted';
/** Pixels of the largest picture of which the error level is drawn: it is saved once more as a whole. */
const MOST_PIXELS = 24_000_000;
/** Samples of a second: what speech and music have to show lies below half of it. */
const RATE = 16_000;
const HEAP_MEGABYTES = 512;

const nameFor = (kind: PictureKind, source: ObjectName | undefined): ObjectName =>
  source === undefined
    ? {
        bucket: EXTRACTED_BUCKET,
        key: pictureKey(`${new Date().toISOString().slice(0, 10)}/${randomUUID()}`, kind),
      }
    : { bucket: source.bucket, key: pictureKey(source.key, kind) };

/** The samples of a sound or video. Rejects with a RecordingError or the signal's reason. */
async function samplesOf(
  path: string,
  settings: ExtractorsSettings,
  signal: AbortSignal,
): Promise<Float32Array> {
  const limits = {
    rate: RATE,
    mostSeconds: settings.EXTRACTORS_MAX_SOUND_SECONDS,
    timeoutMs: settings.EXTRACTORS_DECODE_TIMEOUT_MS,
  };
  return (await decodeSound(path, limits, signal)).samples;
}

/** The task for the drawing thread, or the reason why there is nothing to draw. */
async function taskOf(
  { bytes, path }: MediaFile,
  kind: PictureKind,
  { settings, decoder }: { readonly settings: ExtractorsSettings; readonly decoder: Decoder },
  signal: AbortSignal,
): Promise<DrawingTask | Reason> {
  if (kind === 'spectrogram') {
    if (path === undefined) return 'not_applicable';
    return { kind, samples: await samplesOf(path, settings, signal) };
  }
  if (bytes === undefined) return 'not_applicable';
  const { width, height, brightness, orientation } = await decoder.decode(bytes, signal);
  if (width * height > MOST_PIXELS) return 'too_large';
  return { kind, picture: { width, height, values: brightness }, orientation };
}

async function store(
  objects: ObjectStore,
  kind: PictureKind,
  { width, height, png }: DrawnFile,
  source: ObjectName | undefined,
): Promise<DrawnPicture> {
  const name = nameFor(kind, source);
  await objects.put(name, Readable.from([Buffer.from(png)])).catch((error: unknown) => {
    throw errors.service_unavailable({ cause: error });
  });
  const facts = { kind, mime_type: 'image/png' as const, width, height, size_bytes: png.byteLength };
  return { ...facts, bucket: name.bucket, object_key: name.key, meaning: PICTURE_WORDS[kind] };
}

/** Creates the renderer; no thread or process is started before the first picture. */
export function createPictureRenderer(
  settings: ExtractorsSettings,
  decoder: Decoder,
  objects: ObjectStore,
  log: Logger,
): PictureRenderer {
  const pool = createFairThreadPool<DrawingTask, DrawnFile>(settings, {
    script: 'extractors-picture-worker.js',
    heapMegabytes: HEAP_MEGABYTES,
  });
  const file = async (
    medium: MediaFile,
    kind: PictureKind,
    signal: AbortSignal,
  ): Promise<DrawnFile | Reason> => {
    try {
      const task = await taskOf(medium, kind, { settings, decoder }, signal);
      return typeof task === 'string' ? task : await pool.run(task, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RecordingError) return RECORDING_REASONS[error.reason];
      const failure = pictureFailure(error);
      if (failure !== error) throw failure;
      log.error({ err: error, kind }, 'a picture could not be drawn');
      return 'engine_failed';
    }
  };
  return {
    draw: async (medium, kinds, source, caller, callerSignal) => {
      if (kinds.length === 0) return [];
      return pool.runQueued(caller, callerSignal, settings.EXTRACTORS_PICTURES_TIMEOUT_MS, async (signal) => {
        const drawn: DrawingOutcome[] = [];
        for (const kind of new Set(kinds)) {
          const made = await file(medium, kind, signal);
          drawn.push(
            typeof made === 'string' ? { kind, reason: made } : await store(objects, kind, made, source),
          );
        }
        return drawn;
      });
    },
    render: async ({ path }, kinds, caller, callerSignal) => {
      if (kinds.length === 0) return [];
      return pool.runQueued(caller, callerSignal, settings.EXTRACTORS_PICTURES_TIMEOUT_MS, async (signal) => {
        const none = (reason: Reason) => kinds.map((kind) => ({ kind, reason }));
        if (path === undefined) return none('not_applicable');
        try {
          const samples = await samplesOf(path, settings, signal);
          const drawn: RenderedSound[] = [];
          for (const kind of kinds) drawn.push({ kind, ...(await pool.run({ kind, samples }, signal)) });
          return drawn;
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof RecordingError) return none(RECORDING_REASONS[error.reason]);
          log.error({ err: error }, 'pictures of a sound could not be drawn');
          return none('engine_failed');
        }
      });
    },
    close: () => pool.close(),
  };
}

const DAY_MS = 24 * 3600 * 1000;
const DAY_NAME = /^\d{4}-\d{2}-\d{2}$/;

/** Removes pictures of earlier days from a store that is a folder: they are named by the day on which they were drawn. */
export async function removeExpiredPictures(folder: string, days: number): Promise<void> {
  const place = join(folder, EXTRACTED_BUCKET);
  const oldest = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  for (const name of await readdir(place).catch(() => []))
    if (DAY_NAME.test(name) && name < oldest) await rm(join(place, name), { recursive: true, force: true });
}
