import { inputArguments, RecordingError, runProgramOnFile } from './programs.ts';

/** When the frames of a recording are shown, read from its packets without decoding any. */
export interface Timeline {
  /** Seconds from the start of the recording, ascending; the place in the list is the index of the frame. */
  readonly times: Float64Array;
  /** Indices of frames that can be decoded alone, ascending. */
  readonly keys: readonly number[];
  /** False for old containers that do not say when each frame is shown: then times are near, and the places in the list hold. */
  readonly isTimed: boolean;
  /** When the last frame ends. */
  readonly durationSec: number;
}

/** Packets of three hours at 60 frames a second take a quarter of it. */
const LIST_BYTES = 64 * 1024 * 1024;
/** Frames of a recording that are counted; more are no film. */
const MOST_FRAMES = 500_000;
/** Length of the last frame where the container does not say it. */
const USUAL_FRAME_SECONDS = 0.04;

/** Lists the frames of the first track with moving pictures. Rejects with a RecordingError or the signal's reason. */
export async function readTimeline(
  path: string,
  { startSec, timeoutMs }: { readonly startSec: number; readonly timeoutMs: number },
  signal?: AbortSignal,
): Promise<Timeline> {
  const { output } = await runProgramOnFile(
    'ffprobe',
    path,
    [
      ...['-v', 'error', ...inputArguments(), '-select_streams', 'V:0', '-of', 'compact=p=0'],
      ...['-show_entries', 'packet=pts_time,dts_time,flags', `file:${path}`],
    ],
    { wallMs: timeoutMs, outputBytes: LIST_BYTES },
    signal,
  );
  return parsePackets(output.toString(), startSec);
}

/** The frames that a list of packets names, in the order in which they are shown. */
export function parsePackets(list: string, startSec: number): Timeline {
  const packets: { time: number; isKey: boolean }[] = [];
  let isTimed = true;
  for (const line of list.split('\n')) {
    const fields = new Map(line.split('|').map((field) => field.split('=', 2) as [string, string]));
    // Old containers give the time of decoding alone.
    const [shown, decoded] = [fields.get('pts_time'), fields.get('dts_time')].map(Number);
    const written = [shown, decoded].find((time) => Number.isFinite(time));
    if (written === undefined) continue;
    isTimed &&= written === shown;
    packets.push({ time: written - startSec, isKey: fields.get('flags')?.startsWith('K') === true });
    if (packets.length > MOST_FRAMES) throw new RecordingError('too_long');
  }
  if (packets.length === 0) throw new RecordingError('no_track');
  packets.sort((one, two) => one.time - two.time);
  const times = Float64Array.from(packets, ({ time }) => time);
  const first = times[0] ?? 0;
  const last = times[times.length - 1] ?? 0;
  const mean = times.length > 1 ? (last - first) / (times.length - 1) : USUAL_FRAME_SECONDS;
  return {
    times,
    isTimed,
    keys: packets.flatMap(({ isKey }, index) => (isKey ? [index] : [])),
    durationSec: Math.max(0, last) + mean,
  };
}

/** The same frames, their times counted from another moment. */
export function shiftTimeline(timeline: Timeline, startSec: number): Timeline {
  const { times, durationSec } = timeline;
  const last = times[times.length - 1] ?? 0;
  const lengthOfLast = durationSec - Math.max(0, last);
  return {
    ...timeline,
    times: times.map((time) => time - startSec),
    durationSec: Math.max(0, last - startSec) + lengthOfLast,
  };
}

/** The middles of so many equal parts of a stretch of time. */
export function midpoints(count: number, fromSec: number, toSec: number): number[] {
  return Array.from({ length: count }, (_, index) => fromSec + ((index + 0.5) * (toSec - fromSec)) / count);
}

/** The place of the value that is nearest, in an ascending list that is not empty. */
function nearest(values: ArrayLike<number>, target: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < target) low = middle + 1;
    else high = middle;
  }
  const before = values[low - 1];
  return before !== undefined && target - before <= (values[low] ?? 0) - target ? low - 1 : low;
}

/**
 * The frames to take for some times: the nearest that can be decoded alone when there are as many as times and no two times share one,
 * else the nearest of all. Ascending, each once: a film of three frames gives three.
 */
export function chooseFrames({ times, keys }: Timeline, targets: readonly number[]): number[] {
  const keyTimes = Float64Array.from(keys, (index) => times[index] ?? 0);
  if (keys.length >= targets.length) {
    const chosen = new Set(targets.map((target) => keys[nearest(keyTimes, target)] ?? 0));
    if (chosen.size === targets.length) return [...chosen].sort((one, two) => one - two);
  }
  return nearestFrames({ times }, targets);
}

/** The frames nearest to some times, whatever it takes to decode them. Ascending, each once. */
export function nearestFrames({ times }: Pick<Timeline, 'times'>, targets: readonly number[]): number[] {
  return [...new Set(targets.map((target) => nearest(times, target)))].sort((one, two) => one - two);
}
