import { z } from 'zod';
import { analysisSession } from './analysis-session.ts';
import { dateTime } from './fields.ts';
import { revision } from './revision.ts';
import { verdictRules } from './verdict-rules.ts';

/** Name and version of the form of an export; a change that old readers cannot read gets another number. */
export const SESSION_EXPORT = 'urn:limpede:session-export:1';

/** A session with everything needed to redo its numbers. */
export const sessionExport = z
  .object({
    schema: z.literal(SESSION_EXPORT),
    made_at: dateTime.meta({ description: 'When the export was made.' }),
    made_by: z.string().meta({ description: 'Product and version that made the export.' }),
    session: analysisSession,
    revisions: z.array(revision).meta({ description: 'What reviewers corrected, from the first on.' }),
    verdict_rules: verdictRules.meta({
      description: 'The rules that made the verdict: scales, weights, thresholds and texts.',
    }),
  })
  .meta({ id: 'SessionExport' });
/** A complete export of a session. */
export type SessionExport = z.infer<typeof sessionExport>;

/** The JSON Schema of an export. */
export function sessionExportSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(sessionExport, { target: 'draft-2020-12' });
  return { $schema, $id: SESSION_EXPORT, title: 'Export of an analysis session of Limpede', ...schema };
}
