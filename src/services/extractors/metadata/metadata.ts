import { readFileSync } from 'node:fs';
import type { Probeable } from '../../../foundation/health.ts';
import type { Logger } from '../../../foundation/log.ts';
import { SettingsError } from '../../../foundation/settings.ts';
import { PROBE_PICTURE } from '../../../media/image/decoder.ts';
import { type RecordingFacts, readFacts } from '../../../media/recording/facts.ts';
import { findProgram, RecordingError } from '../../../media/recording/programs.ts';
import { errors } from '../errors.ts';
import { createFairThreadPool } from '../fair-thread-pool.ts';
import { type MediaFile, pictureOf } from '../incoming/media-file.ts';
import { RECORDING_REASONS, type Reason } from '../resources/reasons.ts';
import type { ExtractorsSettings } from '../settings.ts';
import type { MetadataResult, MetadataTask } from './extractors-metadata-worker.ts';
import { unknownProvenance } from './provenance-reader.ts';

/** The metadata of a file, with the parts that could not be read. */
export interface Metadata extends Pick<MetadataResult, 'picture' | 'provenance'> {
  /** Of a sound or video; null for pictures, and where it could not be read. */
  readonly recording: RecordingFacts | null;
  readonly lost: readonly { readonly part: 'tags' | 'provenance' | 'container'; readonly reason: Reason }[];
}

/** Reads the metadata of files. */
export interface MetadataReader extends Probeable {
  /** Throws a failure of the error table. */
  read(medium: MediaFile, withPlace: boolean, caller: string, signal: AbortSignal): Promise<Metadata>;
  /** Whether recordings can be read, too. */
  readonly recordings: Probeable;
  close(): Promise<void>;
}

/** Memory of a thread in megabytes, beside that of the reader of histories. */
const HEAP_MEGABYTES = 256;
function trustAnchorsOf({ EXTRACTORS_C2PA_TRUST_ANCHORS: path }: ExtractorsSettings): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch {
    // Reported below, like a file with another content.
  }
  throw new SettingsError([`EXTRACTORS_C2PA_TRUST_ANCHORS: ${path} is no file with certificates (PEM)`]);
}

async function readRecording(path: string, signal: AbortSignal): Promise<RecordingFacts | Reason> {
  try {
    return await readFacts(path, signal);
  } catch (error) {
    if (error instanceof RecordingError) return RECORDING_REASONS[error.reason];
    throw error;
  }
}

/** Creates the reader; no thread or process is started before the first file. */
export function createMetadataReader(settings: ExtractorsSettings, log: Logger): MetadataReader {
  const trustAnchors = trustAnchorsOf(settings);
  const pool = createFairThreadPool<MetadataTask, MetadataResult>(settings, {
    script: 'extractors-metadata-worker.js',
    heapMegabytes: HEAP_MEGABYTES,
  });
  const inThread = async (
    medium: MediaFile,
    withPlace: boolean,
    signal: AbortSignal,
  ): Promise<MetadataResult> => {
    try {
      const result = await pool.run({ medium, withPlace, trustAnchors }, signal);
      if (result.poisoned) pool.renew();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      // A file took the whole thread with it.
      log.error({ err: error }, 'a file could not be read at all');
      return { picture: null, provenance: unknownProvenance('engine_failed'), poisoned: true };
    }
  };
  const read = async (medium: MediaFile, withPlace: boolean, signal: AbortSignal): Promise<Metadata> => {
    const { path } = medium;
    const [{ picture, provenance }, recording] = await Promise.all([
      inThread(medium, withPlace, signal),
      path === undefined ? null : readRecording(path, signal),
    ]);
    const lost: Metadata['lost'][number][] = [];
    if (medium.kind === 'image' && picture === null) lost.push({ part: 'tags', reason: 'engine_failed' });
    if (provenance.reason?.code === 'engine_failed' || provenance.reason?.code === 'too_large')
      lost.push({ part: 'provenance', reason: provenance.reason.code });
    if (typeof recording === 'string') lost.push({ part: 'container', reason: recording });
    // Every kind of picture says how large it is.
    const isBroken = picture !== null && (picture.width === null || picture.height === null);
    if (isBroken || recording === 'unreadable') throw errors.broken_media();
    return { picture, provenance, recording: typeof recording === 'string' ? null : recording, lost };
  };
  return {
    note:
      trustAnchors === undefined ? 'no list of trusted signers is set' : 'signers are checked against a list',
    read: (medium, withPlace, caller, signal) =>
      pool.runQueued(caller, signal, settings.EXTRACTORS_METADATA_TIMEOUT_MS, (limited) =>
        read(medium, withPlace, limited),
      ),
    probe: async (signal) => {
      const medium = await pictureOf(PROBE_PICTURE, 'image/png');
      const { picture } = await pool.run({ medium, withPlace: false, trustAnchors: undefined }, signal);
      if (picture?.width !== 8) throw new Error('a picture was not read as it is');
    },
    recordings: {
      probe: async () => {
        if (findProgram('ffprobe') === undefined) throw new Error('ffprobe is not installed');
      },
    },
    close: () => pool.close(),
  };
}
