/** The stance of a source towards a claim; null when it is not known. */
export type Stance = 'supports' | 'refutes' | 'neutral' | null;

/** Judges passages against a claim, in their order. Meant for a model. */
export type StanceJudge = (
  claim: string,
  passages: readonly string[],
  signal: AbortSignal,
) => Promise<Stance[]>;

/** Used while there is no stance model: every stance is unknown. */
export const withoutStanceModel: StanceJudge = async (_claim, passages) => passages.map(() => null);
