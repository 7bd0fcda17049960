import type { ProviderAnswer, SearchProvider } from './provider.ts';

/** How long a provider is left alone after an error, in milliseconds: twice as long each time, unless it says how long itself. */
const REST_MS = { first: 15_000, longest: 15 * 60_000, refused: 10 * 60_000, longestAsked: 3_600_000 };

/** Statuses with which a provider refuses us, and not this one query. */
const REFUSES_US = new Set([401, 402, 403, 407]);

/** Whether others would fare no better: a caller that left or a query that it does not like says nothing of it. */
function isItsFault({ reason, status }: ProviderAnswer<unknown> & { ok: false }): boolean {
  if (reason === 'refused') return status === undefined || REFUSES_US.has(status);
  return reason !== 'aborted';
}

/** Leaves a provider alone for a while after an error, longer after each; a success ends that. */
export function suspending(
  provider: SearchProvider,
  now: () => number = () => performance.now(),
): SearchProvider {
  let failures = 0;
  let until = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  const restOf = (answer: ProviderAnswer<unknown> & { ok: false }) => {
    if (answer.reason === 'invalid_answer') return REST_MS.first;
    if (answer.retryAfterMs !== undefined) return Math.min(answer.retryAfterMs, REST_MS.longestAsked);
    const rest = Math.min(REST_MS.first * 2 ** (failures - 1), REST_MS.longest);
    // It says no to us, not to this query: a key that is wrong, an account that is empty.
    return answer.reason === 'refused' ? Math.max(rest, REST_MS.refused) : rest;
  };
  const guard = async <Found>(ask: () => Promise<ProviderAnswer<Found>>): Promise<ProviderAnswer<Found>> => {
    if (now() < until) return { ok: false, reason: 'suspended', retryAfterMs: until - now() };
    const askedAt = now();
    const answer = await ask();
    if (answer.ok) {
      failures = 0;
      until = 0;
    } else if (isItsFault(answer)) {
      // Queries that were under way together fail together: that is one failure.
      if (failures === 0 || askedAt > failedAt) failures += 1;
      failedAt = now();
      until = Math.max(until, now() + restOf(answer));
    }
    return answer;
  };
  const { images } = provider;
  return {
    ...provider,
    search: (query, signal) => guard(() => provider.search(query, signal)),
    ...(images !== undefined && { images: (query, signal) => guard(() => images(query, signal)) }),
  };
}
