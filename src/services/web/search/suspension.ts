import type { ProviderAnswer, SearchProvider } from './provider.ts';

/** How long a provider is suspended after an error, in milliseconds: doubled with each error, unless the provider states a time. */
const SUSPENSION_MS = { first: 15_000, longest: 15 * 60_000, refused: 10 * 60_000, longestAsked: 3_600_000 };

/** Statuses of a wrong key or an exhausted account: they concern all queries. */
const REFUSES_US = new Set([401, 402, 403, 407]);

/** Whether further queries would fail as well; not so when the caller left or the provider refused this one query. */
function isProviderFailure({ reason, status }: ProviderAnswer<unknown> & { ok: false }): boolean {
  if (reason === 'refused') return status === undefined || REFUSES_US.has(status);
  return reason !== 'aborted';
}

/** Suspends a provider after errors, longer after each one; a success resets it. */
export function suspendOnErrors(
  provider: SearchProvider,
  now: () => number = () => performance.now(),
): SearchProvider {
  let failures = 0;
  let until = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  const suspensionOf = (answer: ProviderAnswer<unknown> & { ok: false }) => {
    if (answer.reason === 'invalid_answer') return SUSPENSION_MS.first;
    if (answer.retryAfterMs !== undefined) return Math.min(answer.retryAfterMs, SUSPENSION_MS.longestAsked);
    const duration = Math.min(SUSPENSION_MS.first * 2 ** (failures - 1), SUSPENSION_MS.longest);
    // A wrong key or an exhausted account takes longer to be repaired.
    return answer.reason === 'refused' ? Math.max(duration, SUSPENSION_MS.refused) : duration;
  };
  const guard = async <Found>(ask: () => Promise<ProviderAnswer<Found>>): Promise<ProviderAnswer<Found>> => {
    if (now() < until) return { ok: false, reason: 'suspended', retryAfterMs: until - now() };
    const askedAt = now();
    const answer = await ask();
    if (answer.ok) {
      failures = 0;
      until = 0;
    } else if (isProviderFailure(answer)) {
      // Queries sent before the last failure count with it as one failure.
      if (failures === 0 || askedAt > failedAt) failures += 1;
      failedAt = now();
      until = Math.max(until, now() + suspensionOf(answer));
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
