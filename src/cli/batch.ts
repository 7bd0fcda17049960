import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { AnalysisSession } from '../services/analysis/resources/analysis-session.ts';
import { asyncAccepted } from '../services/analysis/resources/async-accepted.ts';
import { type Api, ApiError, callFile, callJson, pipelinePath, RefusedTokenError } from './api.ts';
import { type BatchEntry, type BatchRecord, resultName } from './batch-record.ts';
import { followSession } from './follow.ts';
import type { AnalysisInput } from './inputs.ts';
import { writeOverlays } from './overlays.ts';
import { uploadedRequest } from './upload.ts';
import { UserError } from './user-error.ts';

/** Formats of reports that the platform makes, with the ending of their files. */
export const REPORT_ENDINGS = {
  html: '.html',
  json: '.export.json',
  claimreview: '.claimreview.json',
} as const;
/** A format of reports. */
export type ReportFormat = keyof typeof REPORT_ENDINGS;

/** How a batch runs. */
export interface BatchRunOptions {
  readonly report: ReportFormat | undefined;
  readonly language: string;
  /** What was drawn of pictures and recordings is written beside their results. */
  readonly overlay: boolean;
  /** Inputs at once. */
  readonly parallel: number;
  readonly say: (line: string) => void;
}

/** What a batch did with one input. */
export interface BatchResult extends BatchEntry {
  /** The results were there before this run. */
  readonly earlier: boolean;
}

const dataOf = <Data>(answer: unknown) => (answer as { data: Data }).data;

/** Sends one analysis; the same key gives the same session. */
export async function accept(api: Api, request: unknown, key?: string) {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const answer = await callJson(api, 'POST', pipelinePath('analyze-async'), { body: request, headers });
  return asyncAccepted.parse(answer).data;
}

/** The final session. */
export async function resultOf(api: Api, sessionId: string): Promise<AnalysisSession> {
  return dataOf<AnalysisSession>(await callJson(api, 'GET', pipelinePath(`results/${sessionId}`)));
}

/** Whether any check could say something of the content; a file that cannot be opened is none. */
export const isJudged = ({ verdict }: AnalysisSession): boolean => (verdict?.components_used.length ?? 0) > 0;

/** The report of a session in a format of the platform. */
export function reportFile(
  api: Api,
  sessionId: string,
  format: ReportFormat,
  language: string,
): Promise<Buffer> {
  return callFile(api, pipelinePath(`sessions/${sessionId}/report?format=${format}&lang=${language}`));
}

/** A session for the input: the one of an interrupted run, else a new one. */
async function sessionFor(api: Api, input: AnalysisInput, record: BatchRecord) {
  const known = record.entryOf(input);
  const attempt = known === undefined ? 1 : known.status === 'accepted' ? known.attempt : known.attempt + 1;
  const { session_id, queued_components } = await accept(
    api,
    await uploadedRequest(api, input),
    record.idempotencyKey(input, attempt),
  );
  record.set(input, { ...unfinished(input, attempt), session_id });
  return { sessionId: session_id, total: queued_components.length, attempt };
}

const unfinished = (input: AnalysisInput, attempt: number): BatchEntry => ({
  input: input.name,
  session_id: null,
  attempt,
  status: 'accepted',
  risk_score: null,
  risk_category: null,
  confidence: null,
  judged: true,
  drawn: false,
  error: null,
  files: [],
});

/** Writes the report beside the session; a ClaimReview that does not exist is no fault. */
async function writeReport(
  api: Api,
  sessionId: string,
  path: string,
  { report, language }: BatchRunOptions,
): Promise<boolean> {
  if (report === undefined) return false;
  try {
    writeFileSync(path, await reportFile(api, sessionId, report, language));
    return true;
  } catch (error) {
    if (report === 'claimreview' && error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

/** The files that an input has when it is finished; a ClaimReview may be missing. */
function filesOf(input: AnalysisInput, report: ReportFormat | undefined) {
  const name = resultName(input);
  const reportPath = report === undefined ? undefined : `${name}${REPORT_ENDINGS[report]}`;
  const needed = [
    `${name}.json`,
    ...(reportPath === undefined || report === 'claimreview' ? [] : [reportPath]),
  ];
  return { session: `${name}.json`, report: reportPath, needed };
}

async function analyseOne(
  api: Api,
  input: AnalysisInput,
  record: BatchRecord,
  options: BatchRunOptions,
): Promise<BatchEntry> {
  const { sessionId, total, attempt } = await sessionFor(api, input, record);
  await followSession(api, sessionId, total, () => undefined);
  const session = await resultOf(api, sessionId);
  const { session: sessionFile, report } = filesOf(input, options.report);
  writeFileSync(join(record.folder, sessionFile), `${JSON.stringify(session, null, 2)}\n`);
  const written =
    report !== undefined && (await writeReport(api, sessionId, join(record.folder, report), options));
  const isDrawn = options.overlay && input.medium !== undefined;
  const overlays = isDrawn ? await writeOverlays(api, session, join(record.folder, resultName(input))) : [];
  return {
    ...unfinished(input, attempt),
    session_id: sessionId,
    status: session.status === 'completed' ? 'completed' : 'failed',
    risk_score: session.risk_score,
    risk_category: session.risk_category,
    confidence: session.confidence,
    judged: isJudged(session),
    drawn: isDrawn,
    error: session.status === 'completed' ? null : (session.error_code ?? session.status),
    files: [sessionFile, ...(written ? [report] : []), ...overlays.map((path) => basename(path))],
  };
}

/** Analyses one input and notes how it ended; a fault of one input does not end the others, a refused token does. */
async function finish(
  api: Api,
  input: AnalysisInput,
  record: BatchRecord,
  options: BatchRunOptions,
): Promise<BatchResult> {
  const known = record.entryOf(input);
  const isDrawnAsAsked = !options.overlay || input.medium === undefined || known?.drawn === true;
  const needed = [...filesOf(input, options.report).needed, ...(options.overlay ? (known?.files ?? []) : [])];
  if (known !== undefined && isDrawnAsAsked && record.isFinished(input, needed))
    return { ...known, earlier: true };
  try {
    const entry = await analyseOne(api, input, record, options);
    record.set(input, entry);
    return { ...entry, earlier: false };
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof RefusedTokenError) throw error;
    const last = record.entryOf(input) ?? unfinished(input, 1);
    // A session that only took too long is followed again by the next run.
    const status = error instanceof ApiError ? 'failed' : last.status;
    const entry: BatchEntry = { ...last, status, error: error.message };
    record.set(input, entry);
    return { ...entry, earlier: false };
  }
}

/** Analyses all inputs into a folder, a few at once; what a run before has finished is left as it is. */
export async function runBatch(
  api: Api,
  inputs: readonly AnalysisInput[],
  record: BatchRecord,
  options: BatchRunOptions,
): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  const waiting = [...inputs.entries()];
  let done = 0;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, input] = next;
      const result = await finish(api, input, record, options);
      results[index] = result;
      done += 1;
      const outcome = result.error ?? (result.earlier ? 'was there' : `${result.risk_score ?? '–'}`);
      options.say(`[${done}/${inputs.length}] ${input.name}: ${outcome}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.parallel, inputs.length) }, work));
  return results;
}
