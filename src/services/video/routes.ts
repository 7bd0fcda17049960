import { randomUUID } from 'node:crypto';
import { fairQueueKey } from '../../foundation/caller-share.ts';
import type { Client } from '../../foundation/client.ts';
import { DeadlineError, withDeadline } from '../../foundation/deadline.ts';
import type { FairQueue } from '../../foundation/fair-queue.ts';
import type { FileSink } from '../../foundation/payloads.ts';
import type { Handlers } from '../../foundation/service.ts';
import type { TemporaryFile } from '../../foundation/temporary-files.ts';
import type { extractors } from '../extractors/contract.ts';
import type { ChatServer } from './chat.ts';
import type { video } from './contract.ts';
import { examineFilm } from './deepfake.ts';
import { errors } from './errors.ts';
import type { ExaminationFolder, ExaminationFolders } from './examination-folders.ts';
import { type Film, filmFailure, openFilm } from './films.ts';
import { classifyProvenance, fetchSignedHistory } from './provenance.ts';
import { describeFilm } from './semantic.ts';
import type { VideoSettings } from './settings.ts';

/** What the routes work with. */
export interface VideoDependencies {
  readonly files: FileSink<TemporaryFile>;
  readonly queue: FairQueue;
  readonly runs: ExaminationFolders;
  /** Undefined when it is switched off. */
  readonly vision: ChatServer | undefined;
  readonly merger: ChatServer | undefined;
  readonly extractor: Client<typeof extractors> | undefined;
}

/** The failure that the caller gets when its video was not examined. */
function failureOf(error: unknown): unknown {
  if (error instanceof DeadlineError && error.reason === 'timeout') return errors.timeout({ cause: error });
  return filmFailure(error);
}

/** An opened film, and the folder of its examination. */
interface Examination {
  readonly film: Film;
  readonly run: ExaminationFolder;
  readonly requestId: string;
}

/** Opens an uploaded film and works on it, from the queue and within the time limit. */
async function examine<Result>(
  path: string,
  caller: string,
  { queue, runs }: Pick<VideoDependencies, 'queue' | 'runs'>,
  settings: VideoSettings,
  callerSignal: AbortSignal,
  work: (examination: Examination, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const requestId = randomUUID();
  const limits = {
    mostSeconds: settings.VIDEO_MAX_SECONDS,
    decodeTimeoutMs: settings.VIDEO_DECODE_TIMEOUT_MS,
  };
  const openAndWork = async (signal: AbortSignal) => {
    const film = await openFilm(path, limits, signal);
    const run = await runs.begin(requestId);
    try {
      return await work({ film, run, requestId }, signal);
    } catch (error) {
      await run.discard();
      throw error;
    }
  };
  return queue.run(
    caller,
    () => withDeadline(settings.VIDEO_TIMEOUT_MS, callerSignal, openAndWork),
    callerSignal,
  );
}

/** Handlers of the video service. */
export function videoRoutes(
  needs: VideoDependencies,
  settings: VideoSettings,
): Handlers<typeof video.operations> {
  const { files, queue, vision, merger, extractor } = needs;
  /** Receives a file and works on it, unless the queue is full for this caller. */
  const withFile = async <Fields, Result>(
    receive: () => Promise<{ readonly fields: Fields; readonly files: { readonly file: TemporaryFile } }>,
    caller: string,
    work: (file: TemporaryFile, fields: Fields) => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await queue.admitted(caller, async () => {
        const { files: received, fields } = await receive();
        return work(received.file, fields).finally(() => files.discard(received.file));
      });
    } catch (error) {
      throw failureOf(error);
    }
  };
  const limits = () => ({ maxFileBytes: settings.VIDEO_MAX_FILE_BYTES });
  /** Called after the file was opened, so that a broken file is reported before a missing vision model. */
  const visionFor = (caller: string): ChatServer => {
    if (vision === undefined) throw errors.vision_not_set();
    return vision.forCaller(caller);
  };
  return {
    analyze: async ({ body, headers }, call) => {
      const caller = fairQueueKey(headers, call);
      const imagesPerRequest = settings.VIDEO_VISION_IMAGES;
      return withFile(
        () => body.receive(files, limits()),
        caller,
        (file) =>
          examine(file.path, caller, needs, settings, call.signal, ({ film, run, requestId }, signal) => {
            const chat = visionFor(caller);
            const history =
              extractor === undefined
                ? Promise.resolve(undefined)
                : fetchSignedHistory(extractor, file, { caller, signal });
            const provenance = history.then(classifyProvenance);
            return examineFilm(film, { vision: chat, imagesPerRequest, provenance, run, requestId }, signal);
          }),
      );
    },
    describe: async ({ body, headers }, call) => {
      const caller = fairQueueKey(headers, call);
      const imagesPerRequest = settings.VIDEO_VISION_IMAGES;
      return withFile(
        () => body.receive(files, limits()),
        caller,
        (file, fields) =>
          examine(file.path, caller, needs, settings, call.signal, ({ film, run, requestId }, signal) => {
            const options = { vision: visionFor(caller), imagesPerRequest, merger, run, requestId, fields };
            return describeFilm(film, options, signal);
          }),
      );
    },
  };
}
