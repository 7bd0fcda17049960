/** What a source does to a claim; null when nobody can tell. */
export type Stance = 'supports' | 'refutes' | 'neutral' | null;

/** Judges passages against a claim, in their order. The place for a model. */
export type StanceJudge = (
  claim: string,
  passages: readonly string[],
  signal: AbortSignal,
) => Promise<Stance[]>;

/** There is no model yet: nothing is judged, rather than guessed. */
export const judgesNothing: StanceJudge = async (_claim, passages) => passages.map(() => null);
