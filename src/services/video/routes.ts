import { randomUUID } from 'node:crypto';
import { callerOf } from '../../foundation/caller-share.ts';
import type { Client } from '../../foundation/client.ts';
import { DeadlineError, withDeadline } from '../../foundation/deadline.ts';
import { type FairQueue, QueueFullError } from '../../foundation/fair-queue.ts';
import type { FileSink } from '../../foundation/payloads.ts';
import type { Handlers } from '../../foundation/service.ts';
import type { TemporaryFile } from '../../foundation/temporary-files.ts';
import type { extractors } from '../extractors/contract.ts';
import type { Chat } from './chat.ts';
import type { video } from './contract.ts';
import { examineFilm } from './deepfake.ts';
import { errors } from './errors.ts';
import { type Film, filmFailure, openFilm } from './films.ts';
import { provenanceOf, readHistory } from './provenance.ts';
import type { Run, Runs } from './runs.ts';
import { describeFilm } from './semantic.ts';
import type { VideoSettings } from './settings.ts';

/** What the routes work with. */
export interface VideoDependencies {
  readonly files: FileSink<TemporaryFile>;
  readonly queue: FairQueue;
  readonly runs: Runs;
  /** Undefined when it is switched off. */
  readonly vision: Chat | undefined;
  readonly merger: Chat | undefined;
  readonly extractor: Client<typeof extractors> | undefined;
}

/** What a caller is told when its video was not examined. */
function failureOf(error: unknown): unknown {
  if (error instanceof QueueFullError)
    return error.share === 'own' ? errors.rate_limited() : errors.service_unavailable();
  if (error instanceof DeadlineError && error.reason === 'timeout') return errors.timeout({ cause: error });
  return filmFailure(error);
}

/** A film in its turn, and the folder of its examination. */
interface Turn {
  readonly film: Film;
  readonly run: Run;
  readonly requestId: string;
}

/** Handlers of the video service. */
export function videoRoutes(
  { files, queue, runs, vision, merger, extractor }: VideoDependencies,
  settings: VideoSettings,
): Handlers<typeof video.operations> {
  const inTurn = async <Result>(
    file: TemporaryFile,
    caller: string,
    left: AbortSignal,
    work: (turn: Turn, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const requestId = randomUUID();
    const limits = {
      mostSeconds: settings.VIDEO_MAX_SECONDS,
      decodeTimeoutMs: settings.VIDEO_DECODE_TIMEOUT_MS,
    };
    const examine = async (signal: AbortSignal) => {
      const film = await openFilm(file.path, limits, signal);
      const run = await runs.begin(requestId);
      try {
        return await work({ film, run, requestId }, signal);
      } catch (error) {
        await run.discard();
        throw error;
      }
    };
    try {
      return await queue.run(caller, () => withDeadline(settings.VIDEO_TIMEOUT_MS, left, examine), left);
    } catch (error) {
      throw failureOf(error);
    } finally {
      await files.discard(file);
    }
  };
  const needVision = (): Chat => {
    if (vision === undefined) throw errors.vision_not_set();
    return vision;
  };
  return {
    analyze: async ({ body, headers }, call) => {
      const chat = needVision();
      const { files: received } = await body.receive(files, { maxFileBytes: settings.VIDEO_MAX_FILE_BYTES });
      const caller = callerOf(headers);
      return inTurn(received.file, caller, call.signal, ({ film, run, requestId }, signal) => {
        const history =
          extractor === undefined
            ? Promise.resolve(undefined)
            : readHistory(extractor, received.file, { caller, signal });
        const provenance = history.then(provenanceOf);
        const imagesEach = settings.VIDEO_VISION_IMAGES;
        return examineFilm(film, { vision: chat, imagesEach, provenance, run, requestId }, signal);
      });
    },
    describe: async ({ body, headers }, call) => {
      const chat = needVision();
      const { files: received, fields } = await body.receive(files, {
        maxFileBytes: settings.VIDEO_MAX_FILE_BYTES,
      });
      const caller = callerOf(headers);
      return inTurn(received.file, caller, call.signal, ({ film, run, requestId }, signal) =>
        describeFilm(
          film,
          { vision: chat, imagesEach: settings.VIDEO_VISION_IMAGES, merger, run, requestId, fields },
          signal,
        ),
      );
    },
  };
}
