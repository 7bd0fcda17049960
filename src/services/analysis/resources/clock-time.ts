const MINUTE = 60;
/** Times in recordings shorter than this, in seconds, have tenths: frames would otherwise share one time. */
const SHORT = 60;

/** A time in a recording as players show it: `3:07`. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / MINUTE)}:${String(whole % MINUTE).padStart(2, '0')}`;
}

/** A formatter for times in a recording of this length in seconds: `3:07`, or `0:07.4` (`0:07,4` in Romanian) in a short one. */
export function timeFormatter(length: number | null, language: 'en' | 'ro'): (seconds: number) => string {
  if (length === null || length >= SHORT) return clockTime;
  return (seconds) => {
    const tenths = Math.max(0, Math.floor(seconds * 10));
    return `${clockTime(tenths / 10)}${language === 'ro' ? ',' : '.'}${tenths % 10}`;
  };
}
