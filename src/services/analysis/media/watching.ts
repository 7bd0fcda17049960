import type { LossReason } from '../../../foundation/client.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import type { OnBehalf } from '../dependencies/caller-share.ts';
import {
  type DescribedVideo,
  describeVideo,
  hasVision,
  type JudgedVideo,
  judgeVideo,
  type VideoClient,
} from '../dependencies/video.ts';
import type { Reason } from '../reasons.ts';

/** What was seen in a video; a part that is missing says why. */
export interface WatchedVideo {
  readonly judged: JudgedVideo | undefined;
  readonly described: DescribedVideo | undefined;
  readonly leftOut: readonly { readonly part: 'judgement' | 'description'; readonly reason: Reason }[];
  /** Why the video service gave less than it was asked for; undefined when it gave all. */
  readonly lost: LossReason | undefined;
}

/** How a video is watched. */
export interface Watching {
  /** Lends the bytes anew for each call; undefined when the store does not give them. */
  readonly withFile: <Result>(use: (file: OutgoingFile) => Promise<Result>) => Promise<Result | undefined>;
  readonly durationSec: number | null;
  /** Many others wait: what is not needed for a verdict is left out. */
  readonly isCrowded: boolean;
}

const nothing = (code: 'video_off' | 'video_lost' | 'frames_unwatched', lost?: LossReason): WatchedVideo => ({
  judged: undefined,
  described: undefined,
  leftOut: (['judgement', 'description'] as const).map((part) => ({ part, reason: { code, values: {} } })),
  lost,
});

/** Has a video judged and described; never throws for what lies outside. */
export async function watch(
  client: VideoClient | undefined,
  { withFile, durationSec, isCrowded }: Watching,
  run: OnBehalf,
): Promise<WatchedVideo> {
  if (client === undefined) return nothing('video_off');
  const seeing = await hasVision(client, run.signal);
  run.signal.throwIfAborted();
  if (seeing === undefined) return nothing('video_lost', 'unavailable');
  // Without a model server the service answers an error to everything: that is a choice, and no loss.
  if (!seeing) return nothing('frames_unwatched');
  const judged = (await withFile((file) => judgeVideo(client, file, run))) ?? { lost: 'unavailable' };
  run.signal.throwIfAborted();
  if ('refused' in judged) return nothing('frames_unwatched');
  if ('lost' in judged) return nothing('video_lost', judged.lost);
  const found = { judged: judged.answer, lost: undefined };
  const without = (reason: Reason) => ({
    ...found,
    described: undefined,
    leftOut: [{ part: 'description' as const, reason }],
  });
  if (isCrowded) return without({ code: 'left_out_under_load', values: {} });
  const described = (await withFile((file) => describeVideo(client, file, durationSec, run))) ?? {
    lost: 'unavailable',
  };
  run.signal.throwIfAborted();
  if ('answer' in described) return { ...found, described: described.answer, leftOut: [] };
  const lost = 'lost' in described ? described.lost : undefined;
  return { ...without({ code: 'video_lost', values: {} }), lost };
}
