/**
 * Makes a question whose answer is remembered for some time. Those who ask meanwhile share one question; that there was no
 * answer is not remembered.
 */
export function remembered<Answer>(
  forMs: number,
  ask: () => Promise<Answer | undefined>,
  now: () => number = () => performance.now(),
): () => Promise<Answer | undefined> {
  let kept: { readonly answer: Answer; readonly until: number } | undefined;
  let asking: Promise<Answer | undefined> | undefined;
  const askAnew = async () => {
    try {
      const answer = await ask();
      kept = answer === undefined ? undefined : { answer, until: now() + forMs };
      return answer;
    } finally {
      asking = undefined;
    }
  };
  return async () => {
    if (kept !== undefined && now() < kept.until) return kept.answer;
    asking ??= askAnew();
    return asking;
  };
}
