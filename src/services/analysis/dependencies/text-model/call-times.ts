import type { TypicalAnswerTimes } from './text-model.ts';

/** Durations kept for each prompt: enough for a 95th percentile, few enough to follow a change of model. */
const KEPT = 40;

/** Remembers how long answers took, by prompt. */
export class CallTimes {
  private readonly kept = new Map<string, number[]>();

  /** Takes down one duration in milliseconds. */
  add(promptKey: string, durationMs: number): void {
    const kept = this.kept.get(promptKey) ?? [];
    this.kept.set(promptKey, [...kept, durationMs].slice(-KEPT));
  }

  /** The median and the 95th percentile of what is kept; undefined when nothing is. */
  usual(promptKey: string): TypicalAnswerTimes | undefined {
    const sorted = this.kept.get(promptKey)?.toSorted((one, two) => one - two) ?? [];
    if (sorted.length === 0) return undefined;
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return { p50: at(0.5), p95: at(0.95) };
  }
}
