import type { LossReason } from '../../../foundation/client.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import type { CallContext } from '../dependencies/caller-share.ts';
import {
  describeVideo,
  hasVision,
  judgeVideo,
  type VideoClient,
  type VideoDescription,
  type VideoJudgement,
} from '../dependencies/video.ts';
import type { Reason } from '../reasons.ts';

/** What the video service found: its verdict and its description, and why a part is missing. */
export interface VideoFindings {
  readonly judged: VideoJudgement | undefined;
  readonly described: VideoDescription | undefined;
  readonly leftOut: readonly { readonly part: 'judgement' | 'description'; readonly reason: Reason }[];
  /** Why the video service gave less than it was asked for; undefined when it gave all. */
  readonly lost: LossReason | undefined;
}

/** A video to examine. */
export interface VideoInput {
  /** Opens the bytes for each call; undefined when the store cannot read them. */
  readonly withFile: <Result>(use: (file: OutgoingFile) => Promise<Result>) => Promise<Result | undefined>;
  readonly durationSec: number | null;
  /** The queue is long: the description, which no verdict needs, is left out. */
  readonly isCrowded: boolean;
}

const notExamined = (
  code: 'video_off' | 'video_lost' | 'frames_unwatched',
  lost?: LossReason,
): VideoFindings => ({
  judged: undefined,
  described: undefined,
  leftOut: (['judgement', 'description'] as const).map((part) => ({ part, reason: { code, values: {} } })),
  lost,
});

/** Has the video service judge and describe a video. Failures of the service are reasons in the findings, not errors. */
export async function examineVideo(
  client: VideoClient | undefined,
  { withFile, durationSec, isCrowded }: VideoInput,
  run: CallContext,
): Promise<VideoFindings> {
  if (client === undefined) return notExamined('video_off');
  const seeing = await hasVision(client, run.signal);
  run.signal.throwIfAborted();
  if (seeing === undefined) return notExamined('video_lost', 'unavailable');
  // Without a model server the service refuses everything; that is a setting, not a loss.
  if (!seeing) return notExamined('frames_unwatched');
  const judged = (await withFile((file) => judgeVideo(client, file, run))) ?? { lost: 'unavailable' };
  run.signal.throwIfAborted();
  if ('refused' in judged) return notExamined('frames_unwatched');
  if ('lost' in judged) return notExamined('video_lost', judged.lost);
  const judgement = { judged: judged.answer, lost: undefined };
  const without = (reason: Reason) => ({
    ...judgement,
    described: undefined,
    leftOut: [{ part: 'description' as const, reason }],
  });
  if (isCrowded) return without({ code: 'left_out_under_load', values: {} });
  const described = (await withFile((file) => describeVideo(client, file, durationSec, run))) ?? {
    lost: 'unavailable',
  };
  run.signal.throwIfAborted();
  if ('answer' in described) return { ...judgement, described: described.answer, leftOut: [] };
  const lost = 'lost' in described ? described.lost : undefined;
  return { ...without({ code: 'video_lost', values: {} }), lost };
}
