import { Readable } from 'node:stream';
import type { OutgoingBytes } from '../../../foundation/payloads.ts';
import type { Handlers } from '../../../foundation/service.ts';
import type { ReportQuery, reportOperations } from '../contract/reports.ts';
import { errors } from '../errors.ts';
import type { MediaLibrary } from '../media/library.ts';
import type { ReasonLanguage } from '../reasons.ts';
import { claimReviews } from '../report/claim-review.ts';
import { htmlReport } from '../report/html-report.ts';
import { examinedPictures, shownPictures } from '../report/picture-section.ts';
import { recordingPictures } from '../report/recording-section.ts';
import type { ReportSource } from '../report/view.ts';
import type { AnalysisSession } from '../resources/analysis-session.ts';
import { SESSION_EXPORT, type SessionExport } from '../resources/session-export.ts';
import type { VerdictRulesSource } from '../resources/verdict-rules.ts';
import { isFinal } from '../session/states.ts';
import { listRevisions } from '../store/revisions.ts';
import { revisionFields } from './moderation.ts';
import { ownSession, type PipelineDependencies, wholeSession } from './pipeline-dependencies.ts';

/** What reports say of this installation. */
interface ReportSettings {
  /** Version of the product. */
  readonly version: string;
  /** The name under which claims are reviewed. */
  readonly publisher: string;
  /** Where callers reach the platform, without a path. */
  readonly publicUrl: string;
  /** Path prefix under which callers reach this service. */
  readonly prefix: string;
}

/** Media types of the formats. */
const REPORT_TYPES = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  claimreview: 'application/ld+json; charset=utf-8',
} as const;

/** A text as a file to save. */
function file(text: string, mediaType: string, fileName: string): OutgoingBytes {
  const bytes = Buffer.from(text);
  return {
    mediaType,
    size: bytes.length,
    fileName,
    open: (range) =>
      Readable.from([range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)]),
  };
}

/** The languages of a report: those of the request, else both, beginning with that of the content. */
function languagesOf(session: AnalysisSession, { lang }: ReportQuery): [ReasonLanguage, ...ReasonLanguage[]] {
  const [first, ...others] = lang ?? [];
  if (first !== undefined) return [first, ...others];
  return session.input_language === 'en' ? ['en', 'ro'] : ['ro', 'en'];
}

function exportOf(
  { session, rules, madeAt, version }: ReportSource,
  revisions: SessionExport['revisions'],
): SessionExport {
  return {
    schema: SESSION_EXPORT,
    made_at: madeAt.toISOString(),
    made_by: `Limpede ${version}`,
    session,
    revisions,
    verdict_rules: rules,
  };
}

/** Pictures of a session that its report shows, as data addresses; one that is gone is left out. */
async function picturesOf(
  { ai_tampered: ai, recording }: AnalysisSession,
  account: string,
  library: MediaLibrary,
): Promise<Map<string, string>> {
  const shown = new Map<string, string>();
  const ofRecording = recording === null ? [] : recordingPictures(recording);
  for (const { media_id: mediaId } of [...examinedPictures(ai).flatMap(shownPictures), ...ofRecording]) {
    const media = await library.find({ mediaId }, account);
    const content = media && (await library.open(media).catch(() => undefined));
    if (media === undefined || content === undefined) continue;
    const bytes = Buffer.concat(await content.toArray());
    shown.set(mediaId, `data:${media.mimeType};base64,${bytes.toString('base64')}`);
  }
  return shown;
}

/** What a report is asked for, and what it shows. */
interface ReportTask {
  readonly session: AnalysisSession;
  readonly revisions: SessionExport['revisions'];
  readonly query: ReportQuery;
  readonly pictures: () => Promise<Map<string, string>>;
}

/** The report of a session in the requested format. */
async function reportOf(
  { session, revisions, query, pictures }: ReportTask,
  rulesSource: VerdictRulesSource,
  settings: ReportSettings,
): Promise<OutgoingBytes> {
  const { version, publisher, publicUrl, prefix } = settings;
  const languages = languagesOf(session, query);
  const name = `limpede-${session.session_id}`;
  if (query.format === 'claimreview') {
    const reportUrl = `${publicUrl}${prefix}/api/v3/pipeline/sessions/${session.session_id}/report`;
    const reviews = claimReviews(session, languages[0], { name: publisher, url: publicUrl, reportUrl });
    if (reviews === null)
      throw errors.not_found({ message: 'No claim of this session was decided by a person.' });
    return file(JSON.stringify(reviews, null, 2), REPORT_TYPES.claimreview, `${name}.claimreview.json`);
  }
  const judgedBy = session.verdict?.rules_version;
  const judging = judgedBy === undefined ? undefined : await rulesSource.ofVersion(judgedBy);
  const source = { session, rules: judging ?? (await rulesSource.current()), madeAt: new Date(), version };
  if (query.format === 'json')
    return file(JSON.stringify(exportOf(source, revisions), null, 2), REPORT_TYPES.json, `${name}.json`);
  return file(
    htmlReport({ ...source, pictures: await pictures() }, languages),
    REPORT_TYPES.html,
    `${name}.${languages.join('-')}.html`,
  );
}

/** What the report operation works with. */
export interface ReportDependencies extends PipelineDependencies {
  readonly report: ReportSettings;
}

/** The handler of the report operation. */
export function reportRoutes(dependencies: ReportDependencies): Handlers<typeof reportOperations> {
  return {
    report: async ({ params, query }, call) => {
      const record = await ownSession(dependencies, call, params.sessionId);
      if (!isFinal(record.session.status)) throw errors.result_not_ready();
      const session = await wholeSession(dependencies, record);
      const revisions = (await listRevisions(dependencies.queries, session.session_id)).map(revisionFields);
      const pictures = () => picturesOf(session, record.session.account, dependencies.media.library);
      const task = { session, revisions, query, pictures };
      return reportOf(task, dependencies.verdictRules, dependencies.report);
    },
  };
}
