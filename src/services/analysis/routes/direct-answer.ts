import { answer } from '../../../foundation/service/reply.ts';
import type { Call } from '../../../foundation/service.ts';
import { errors } from '../errors.ts';
import type { AnalysisSession } from '../resources/analysis-session.ts';
import type { Submission } from '../session/submission.ts';
import { findSession } from '../store/sessions.ts';
import { type PipelineDependencies, pathsOf, wholeSession } from './pipeline-dependencies.ts';

/** Seconds after which a caller whose session goes on should look for the first time. */
const LOOK_AGAIN_SECONDS = '5';
/** Seconds until one who found no place should try again. */
const TRY_AGAIN_SECONDS = '10';

type Answered = { readonly ended: AnalysisSession } | { readonly late: true };

/** Waits for work, but no longer than so many milliseconds; then the work goes on, and its failure is for the log. */
async function within(work: Promise<AnalysisSession>, milliseconds: number, call: Call): Promise<Answered> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answered>((resolve) => {
    timer = setTimeout(() => resolve({ late: true }), milliseconds);
  });
  const outcome = await Promise.race([work.then((ended): Answered => ({ ended })), late]).finally(() =>
    clearTimeout(timer),
  );
  if ('late' in outcome)
    work.catch((error) => call.log.warn({ err: error }, 'an analysis failed after its answer'));
  return outcome;
}

/**
 * Answers the session of a direct analysis: at its end, or, when an answer may take no longer, as it stands, with the address at which it is
 * followed. One that found no place by then is refused.
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
  const outcome = await within(working, dependencies.directAnswerMs(), call);
  if ('ended' in outcome) return answer(200, { success: true as const, data: outcome.ended });
  const record = await findSession(dependencies.queries, sessionId);
  if (record === undefined) {
    waiting.abort();
    const headers = { 'Retry-After': TRY_AGAIN_SECONDS };
    throw errors.service_unavailable({ message: 'The service is as busy as it may be.', headers });
  }
  const data = await wholeSession(dependencies, record);
  const headers = {
    Location: pathsOf(dependencies.prefix, sessionId).poll_url,
    'Retry-After': LOOK_AGAIN_SECONDS,
  };
  return answer(200, { success: true as const, data }, headers);
}
