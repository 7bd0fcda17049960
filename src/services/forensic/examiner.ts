import { withDeadline } from '../../foundation/deadline.ts';
import { createFairQueue, fullQueueOf, maxPlacesPerCaller } from '../../foundation/fair-queue.ts';
import { bundledProgram } from '../../foundation/files.ts';
import type { Probeable } from '../../foundation/health.ts';
import { createThreadPool } from '../../foundation/thread-pool.ts';
import type { DecodedPicture } from '../../media/image/decode-reply.ts';
import { createDecoder, type Decoder, decodeFailure } from '../../media/image/decoder.ts';
import { errors } from './errors.ts';
import type { ExaminationResult, ExaminationTask } from './forensic-examine-worker.ts';
import type { ForensicSettings } from './settings.ts';

/** A picture that was decoded and examined. */
export interface ExaminedPicture {
  readonly picture: DecodedPicture;
  readonly result: ExaminationResult;
}

/** What is to be examined, how closely, and whether maps are to be drawn. */
export interface ExaminationRequest {
  readonly file: Buffer;
  readonly depth: 'full' | 'quick';
  readonly drawn: boolean;
}

/** Decodes and examines pictures, a few at a time, callers in turns. */
export interface Examiner extends Probeable {
  /** Does all work on a request, reading its bytes included. Throws the failure with which it is refused before that. */
  admitted<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
  /** Throws a failure of the error table. */
  examine(order: ExaminationRequest, caller: string, signal: AbortSignal): Promise<ExaminedPicture>;
  close(): Promise<void>;
}

/** The longer side of the small copy, which is hashed and drawn upon; the reference of the hash takes the same. */
const THUMBNAIL_SIDE = 512;
/** Memory of a thread in megabytes: the largest picture is cut to a part before most detectors see it. */
const HEAP_MEGABYTES = 512;

/** A decoder over the bundled program. */
function openDecoder(settings: ForensicSettings): Decoder {
  return createDecoder({
    ...bundledProgram('image-decode-worker.js'),
    timeoutMs: settings.FORENSIC_DECODE_TIMEOUT_MS,
    mostPixels: settings.FORENSIC_MAX_PIXELS,
    thumbnailSide: THUMBNAIL_SIDE,
  });
}

/** Starts neither a thread nor a process before the first picture. */
export function createExaminer(settings: ForensicSettings): Examiner {
  const decoder = openDecoder(settings);
  const queue = createFairQueue(
    {
      running: settings.FORENSIC_THREADS,
      get waiting() {
        return settings.FORENSIC_QUEUE_SIZE;
      },
      get each() {
        return settings.FORENSIC_CALLER_SHARE;
      },
      eachRunning: maxPlacesPerCaller(settings.FORENSIC_THREADS),
    },
    fullQueueOf(errors),
  );
  const threads = createThreadPool<ExaminationTask, ExaminationResult>({
    script: 'forensic-examine-worker.js',
    threads: settings.FORENSIC_THREADS,
    heapMegabytes: HEAP_MEGABYTES,
  });
  const work = (order: ExaminationRequest, caller: AbortSignal) =>
    withDeadline(settings.FORENSIC_TIMEOUT_MS, caller, async (signal) => {
      const picture = await decoder.decode(order.file, signal);
      return { picture, result: await threads.run({ ...order, picture }, signal) };
    });
  return {
    get note() {
      return decoder.note;
    },
    admitted: queue.admitted,
    examine: (order, caller, signal) =>
      queue
        .run(caller, () => work(order, signal), signal)
        .catch((error: unknown) => {
          throw decodeFailure(error, errors);
        }),
    probe: (signal) => decoder.probe(signal),
    close: async () => {
      decoder.close();
      await threads.close();
    },
  };
}
