/** How much a finding says, as a logarithm of the likelihood ratio of tampered (or made) over untouched, in nats. */
export interface Weight {
  readonly value: number;
  /** Its bounds by the Jeffreys 90 % intervals of the rates that it rests on, within the cap of its group. */
  readonly low: number;
  readonly high: number;
}

const NOTHING: Weight = { value: 0, low: 0, high: 0 };

/**
 * What each finding weighs. Rates are those of the card `models/forensic.md`: pictures of its class that a detector finds over untouched
 * pictures that it flags. No detector ever says that a picture is genuine: not finding is 0.
 */
export const WEIGHTS = {
  doubleQuantisation: { value: 3, low: 3, high: 3 },
  copyMove: { value: 3, low: 2.5, high: 3 },
  copyMoveVotes: NOTHING,
  gridConflict: { value: 2.5, low: 1.3, high: 2.5 },
  /** Exact words of the generator itself; the probability that they set is the caller's. */
  generator: NOTHING,
  fileOddity: { value: 0.4, low: 0, high: 0.4 },
  display: NOTHING,
} as const satisfies Readonly<Record<string, Weight>>;
