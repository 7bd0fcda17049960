/**
 * Wraps an asynchronous lookup so that its result is reused for `forMs` milliseconds. Concurrent calls share one lookup; a
 * failure, or a result of undefined, is not kept.
 */
export function memoizeAsync<Answer>(
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
