import { roundTo } from '../../foundation/numbers.ts';
import { chooseFrames, midpoints } from '../../media/recording/timeline.ts';
import type { ChatServer } from './chat.ts';
import type { DeepfakeAnswer } from './contract.ts';
import type { ExaminationFolder } from './examination-folders.ts';
import { encodeFrames, type Film } from './films.ts';
import type { Provenance } from './provenance.ts';
import { decideVerdict } from './verdict.ts';
import { judgeFrames } from './vision.ts';

/** What an examination works with. */
export interface DeepfakeOptions {
  readonly vision: ChatServer;
  readonly imagesPerRequest: number;
  /** What is known of the origin; asked while frames are decoded. */
  readonly provenance: Promise<Provenance>;
  readonly run: ExaminationFolder;
  readonly requestId: string;
}

/** Frames that are sampled. */
const FRAMES = 16;
/** Their longer side: what vision models look at. */
const LONGEST_SIDE = 512;

/** Seconds since a moment, to the millisecond. */
export const secondsSince = (started: number) => Math.round(performance.now() - started) / 1000;
/** A time as answers have it. */
export const toThreeDecimals = (seconds: number) => roundTo(Math.max(0, seconds), 3);

/** Says whether a film is what it seems. Throws a failure of the error table, a RecordingError or the signal's reason. */
export async function examineFilm(
  film: Film,
  { vision, imagesPerRequest, provenance, run, requestId }: DeepfakeOptions,
  signal: AbortSignal,
): Promise<DeepfakeAnswer> {
  const { timeline, framesPerSecond } = film;
  const sampling = performance.now();
  const chosen = chooseFrames(timeline, midpoints(FRAMES, 0, timeline.durationSec));
  const frames = await film.frames(chosen, LONGEST_SIDE, signal);
  const samplingTime = secondsSince(sampling);
  const encoding = performance.now();
  const pictures = await encodeFrames(frames);
  const encodeTime = secondsSince(encoding);
  await run.keepFrames(pictures);
  const inferring = performance.now();
  const frameJudgements = await judgeFrames(vision, pictures, imagesPerRequest, signal);
  const inferenceTime = secondsSince(inferring);
  const suspects = new Map(
    frameJudgements.judgements.flatMap((one) => one.frames).map(({ index, timeSec }) => [index, timeSec]),
  );
  const answer: DeepfakeAnswer = {
    request_id: requestId,
    run_dir: run.folder,
    ...decideVerdict({ provenance: await provenance, frameJudgements }),
    frames_analyzed: frameJudgements.frameCount,
    evidence: [...suspects]
      .sort(([one], [two]) => one - two)
      .map(([index, time]) => ({ frame_index: index, timestamp_s: toThreeDecimals(time) })),
    usage: frameJudgements.usage,
    latency_s: {
      sampling_time_s: samplingTime,
      encode_time_s: encodeTime,
      model_inference_time_s: inferenceTime,
    },
    meta: {
      fps: toThreeDecimals(framesPerSecond),
      total_frames: timeline.times.length,
      duration_s: toThreeDecimals(timeline.durationSec),
      sampled: pictures.length,
      indices: pictures.map(({ index }) => index),
      timestamps_s: pictures.map(({ timeSec }) => toThreeDecimals(timeSec)),
    },
  };
  await run.keepResult(answer);
  return answer;
}
