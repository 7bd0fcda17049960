const FRAME_LINE = /Parsed_showinfo[^\n]*? n: *\d+ pts: *-?\d+ pts_time:(-?[\d.]+)/g;

/** When the frames that a decoder let through are shown, in seconds from the start, from what its filter `showinfo` says. */
export function frameTimes(errorOutput: string, startSec: number): number[] {
  return [...errorOutput.matchAll(FRAME_LINE)].map(([, time]) => Number(time) - startSec);
}
