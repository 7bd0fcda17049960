/**
 * Wraps an asynchronous lookup so that its result is reused for `forMs` milliseconds. Concurrent calls share one lookup; a
 * failure, or a result of undefined, is not kept.
 */
export function memoizeAsync<Answer>(
  forMs: number,
  lookUp: () => Promise<Answer | undefined>,
  now: () => number = () => performance.now(),
): () => Promise<Answer | undefined> {
  let cached: { readonly answer: Answer; readonly until: number } | undefined;
  let pending: Promise<Answer | undefined> | undefined;
  const runLookUp = async () => {
    try {
      const answer = await lookUp();
      cached = answer === undefined ? undefined : { answer, until: now() + forMs };
      return answer;
    } finally {
      pending = undefined;
    }
  };
  return async () => {
    if (cached !== undefined && now() < cached.until) return cached.answer;
    pending ??= runLookUp();
    return pending;
  };
}
