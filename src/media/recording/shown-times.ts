const SHOWN = /Parsed_showinfo[^\n]*? n: *\d+ pts: *-?\d+ pts_time:(-?[\d.]+)/g;

/** When the frames that a decoder let through are shown, in seconds from the start, from what its filter `showinfo` says. */
export function shownTimes(said: string, startSec: number): number[] {
  return [...said.matchAll(SHOWN)].map(([, time]) => Number(time) - startSec);
}
