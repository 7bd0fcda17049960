import { z } from 'zod';
import { publishedChanges } from '../../foundation/configuration/remote.ts';
import { defineContract } from '../../foundation/contract.ts';
import { storableText } from '../../foundation/database/storable.ts';
import { errors } from './errors.ts';

/** Roles that may see usage and configuration. */
const STAFF = { roles: ['moderator', 'senior_moderator', 'auditor', 'admin'] } as const;
/** Roles that may see the audit log. */
const AUDITORS = { roles: ['auditor', 'admin'] } as const;
/** Roles that may change the configuration. */
const ADMIN = { roles: ['admin'] } as const;

const enveloped = <Schema extends z.ZodType>(data: Schema) => z.object({ success: z.literal(true), data });
/** A text that is looked for in the database. */
const searchedText = (length: number) => z.string().max(length).transform(storableText);
const count = z.int().min(0);
const moment = z.iso.datetime({ offset: true });

/** Most intervals into which a period may be divided. */
const LONGEST_DAYS = { hour: 31, day: 400 } as const;
const DAY_MS = 86_400_000;

const statsQuery = z
  .object({
    from: moment.optional().describe('Unset: a day before `to`.'),
    to: moment.optional().describe('Unset: now.'),
    by: z.enum(['hour', 'day']).default('hour').describe('The length of the pieces of `series`, in UTC.'),
    provider: searchedText(200).optional(),
    model: searchedText(200).optional(),
  })
  .superRefine(({ from, to, by }, context) => {
    const end = to === undefined ? Date.now() : Date.parse(to);
    const days = from === undefined ? 1 : (end - Date.parse(from)) / DAY_MS;
    if (days > 0 && days <= LONGEST_DAYS[by]) return;
    const message = `from must lie before to, by ${LONGEST_DAYS[by]} days at most`;
    context.addIssue({ code: 'custom', path: ['from'], message });
  });

const figures = {
  requests: count,
  errors: count.describe('Completions that failed; those that their caller left are `aborted`.'),
  aborted: count,
  cached: count.describe('Answered from memory.'),
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  unknown_tokens: count.describe('Completions of whose tokens nothing is known.'),
  cost: z.number().describe('In the currency of the prices, without the `unpriced` completions.'),
  unpriced: count,
  latency_ms: z
    .object({ mean: z.number(), p50: z.number(), p90: z.number(), p95: z.number(), p99: z.number() })
    .nullable()
    .describe('Of whole answers that were given; percentiles within a twentieth. Null when there were none.'),
  first_event_ms: z.number().nullable().describe('Mean time to the first event of a stream.'),
};
const usage = z.object({ provider: z.string(), model: z.string(), ...figures }).meta({ id: 'ProviderUsage' });

const providerStats = z
  .object({
    from: moment,
    to: moment,
    by: z.enum(['hour', 'day']),
    currency: z.string().nullable().describe('As staff set it; null: that of LLM_CONFIG_FILE, else USD.'),
    recorded_since: moment
      .nullable()
      .describe('The first record of all; null when nothing was ever recorded.'),
    items: z.array(usage).describe('The whole period, by provider and model.'),
    series: z
      .array(usage.extend({ at: moment }))
      .describe('The same by hour or day, where something was used.'),
  })
  .meta({ id: 'ProviderStats' });

const tunableSchema = z.looseObject({
  default: z.unknown(),
  current: z.unknown(),
  description: z.string(),
  description_en: z.string(),
  description_ro: z.string(),
  requires_restart: z.boolean(),
  secret: z.literal(false).describe('No secret can be a value of the configuration.'),
  service: z.string(),
  version: count.describe('The number of changes of this value.'),
});

const configSchema = z
  .object({
    $schema: z.string(),
    title: z.string(),
    type: z.literal('object'),
    additionalProperties: z.literal(false),
    config_version: count,
    properties: z.record(z.string(), tunableSchema),
  })
  .meta({ id: 'ConfigSchema' });

const changedValue = z
  .object({
    key: z.string(),
    value: z.unknown(),
    version: count,
    config_version: count,
    actor: z.string().nullable(),
    at: moment.nullable(),
    requires_restart: z.boolean(),
  })
  .meta({ id: 'ConfigValue' });

const auditQuery = z.object({
  actor: searchedText(400).optional(),
  key: searchedText(200).optional(),
  from: moment.optional(),
  to: moment.optional(),
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(100),
});

const auditRow = z
  .object({
    at: moment,
    actor: z.string(),
    key: z.string(),
    old: z.unknown().describe('Null: the default held.'),
    new: z.unknown().describe('Null: the default holds again.'),
    version: count,
    config_version: count,
  })
  .meta({ id: 'AuditRow' });
const pagination = z.object({ page: count, limit: count, total: count, pages: count });

/** What operators see and change: use of text models, values of the configuration, and who changed them. */
export const dashboard = defineContract({
  name: 'dashboard',
  title: 'Administration dashboard',
  version: '1.0.0',
  description:
    'Use of text models by provider and model, the values that staff may change while the platform runs, and the audit of ' +
    'their changes. For tokens of the realm of staff.',
  errors,
  operations: {
    providerStats: {
      method: 'GET',
      path: '/api/stats/providers',
      summary: 'Requests, tokens, cost, errors and latency by provider and model, and by hour or day',
      access: STAFF,
      query: statsQuery,
      answer: enveloped(providerStats),
    },
    configSchema: {
      method: 'GET',
      path: '/api/config/schema',
      summary: 'Every value that staff may change, as a JSON Schema, with what holds now',
      access: STAFF,
      answer: enveloped(configSchema),
    },
    configChanges: {
      method: 'GET',
      path: '/api/config/changes',
      summary: 'Changes after a version, for processes of the platform that share no database',
      access: 'public',
      query: z.object({ after: z.coerce.number().int().min(0).default(0) }),
      answer: publishedChanges,
    },
    changeConfig: {
      method: 'PUT',
      path: '/api/config/{key}',
      summary: 'Set a value, or with null its default again; it holds in every process at once',
      access: ADMIN,
      params: z.object({ key: z.string().min(1).max(200) }),
      body: z.strictObject({ value: z.unknown().refine((value) => value !== undefined, 'is needed') }),
      answer: enveloped(changedValue),
    },
    audit: {
      method: 'GET',
      path: '/audit',
      summary: 'Who changed which value, when, from what to what; newest first',
      access: AUDITORS,
      query: auditQuery,
      answer: enveloped(z.object({ items: z.array(auditRow), pagination })),
    },
  },
});
/** What the platform used of text models. */
export type ProviderStats = z.input<typeof providerStats>;
/** The query of that, parsed. */
export type StatsQuery = z.output<typeof statsQuery>;
