import { answer } from '../../../foundation/service/reply.ts';
import type { Call } from '../../../foundation/service.ts';
import { errors } from '../errors.ts';
import type { AnalysisSession } from '../resources/analysis-session.ts';
import type { Submission } from '../session/submission.ts';
import { findSession } from '../store/sessions.ts';
import { type PipelineDependencies, pathsOf, wholeSession } from './pipeline-dependencies.ts';

/** Retry-After of a session that is still running, in seconds. */
const POLL_AFTER_SECONDS = '5';
/** Retry-After of a refused request, in seconds. */
const RETRY_AFTER_SECONDS = '10';

type DirectResult = { readonly ended: AnalysisSession } | { readonly late: true };

/** Waits for work for at most `limitMs` milliseconds; after that it continues in the background, and its failure is logged. */
async function waitAtMost(
  work: Promise<AnalysisSession>,
  limitMs: number,
  call: Call,
): Promise<DirectResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<DirectResult>((resolve) => {
    timer = setTimeout(() => resolve({ late: true }), limitMs);
  });
  const outcome = await Promise.race([work.then((ended): DirectResult => ({ ended })), late]).finally(() =>
    clearTimeout(timer),
  );
  if ('late' in outcome)
    work.catch((error) => call.log.warn({ err: error }, 'an analysis failed after its answer'));
  return outcome;
}

/**
 * Answers the session of a direct analysis: finished, or at the time limit still running, with the address at which it can be
 * followed. One that has not started by then is refused.
 */
export async function answerDirectly(
  dependencies: PipelineDependencies,
  { submission, sessionId }: { readonly submission: Submission; readonly sessionId: string },
  work: () => Promise<AnalysisSession>,
  call: Call,
) {
  const waiting = new AbortController();
  const signal = AbortSignal.any([call.signal, waiting.signal]);
  const working = dependencies.directPlaces.run(submission, work, signal);
  const outcome = await waitAtMost(working, dependencies.directAnswerMs(), call);
  if ('ended' in outcome) return answer(200, { success: true as const, data: outcome.ended });
  const record = await findSession(dependencies.queries, sessionId);
  if (record === undefined) {
    waiting.abort();
    const headers = { 'Retry-After': RETRY_AFTER_SECONDS };
    throw errors.service_unavailable({ message: 'The service is as busy as it may be.', headers });
  }
  const data = await wholeSession(dependencies, record);
  const headers = {
    Location: pathsOf(dependencies.prefix, sessionId).poll_url,
    'Retry-After': POLL_AFTER_SECONDS,
  };
  return answer(200, { success: true as const, data }, headers);
}
