import type { Loss } from '../../../../foundation/client.ts';
import type { DomainRecord } from '../../../domain-check/contract.ts';
import { plainReason, sentence } from '../../reasons.ts';
import type { DomainResult } from '../../resources/domain-result.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { ComponentDefinition } from '../component.ts';

/** The block of the interface from the record of the domain check. */
export function domainBlock(record: DomainRecord, durationMs: number): DomainResult {
  return {
    domain: record.domain,
    trust_score: record.trust_score,
    verdict: record.verdict,
    risk_level: record.risk_level,
    age_days: record.age_days,
    is_blacklisted: record.is_blacklisted,
    has_ssl: record.has_ssl,
    ssl_valid: record.ssl_valid,
    red_flags: record.red_flags.map(({ code }) => code),
    warnings: record.warnings.map(({ code }) => code),
    lists: listingsOf(record),
    checks: record.checks.map(({ name, state, reason }) => ({
      check: name,
      answered: state === 'answered',
      ...silenceOf(reason),
    })),
    engine: { ...record.engine, duration_ms: record.duration_ms },
    duration_ms: durationMs,
  };
}

/** Why a check gave no answer, as a reason of ours; all null when it did. */
function silenceOf(code: string | null) {
  if (code === null) return { reason: null, message: null, message_ro: null };
  const reason = plainReason(`check_${code}`) ?? { code: 'check_failed', values: {} };
  return {
    reason: reason.code,
    message: sentence(reason, 'en'),
    message_ro: sentence(reason, 'ro'),
  };
}

/** Lists and ratings that name the domain, each under the name of its maintainer. */
function listingsOf(record: DomainRecord): DomainResult['lists'] {
  const listed = record.blacklists.map(({ list, category, counted, date }) => ({
    list,
    label: category,
    harmful: counted,
    updated_at: date,
  }));
  const rated = record.ratings.map(({ rater, rating, date }) => ({
    list: rater,
    label: rating,
    harmful: false,
    updated_at: date,
  }));
  return [...listed, ...rated];
}

/** Judges the source of a page by its domain; without the domain check it has nothing to say. */
export const sourceAssessment: ComponentDefinition<'domain'> = {
  name: 'domain',
  needs: ['source_address'],
  absent: { code: 'no_web_address', values: {} },
  timeoutMs: SHIPPED_TUNING.timeoutMs.domain,
  checks: ['domain_check'],
  scoreOf: ({ trust_score: trust }) => (trust === null ? null : 100 - trust),
  isUndecided: () => true,
  create:
    ({ domainCheck: client }) =>
    async (material, run) => {
      if (client === undefined) return { skipped: { code: 'domain_check_off', values: {} } };
      const started = performance.now();
      const losses: Loss[] = [];
      const record = await client.check(
        { body: { url: material.parts.source_address?.url ?? '' } },
        { signal: run.signal, correlationId: run.correlationId, lost: (loss) => losses.push(loss) },
      );
      if (record === undefined) {
        const reason = losses[0]?.reason ?? 'unavailable';
        return {
          lost: { code: 'domain_check_lost', values: {} },
          degraded: [{ dependency: 'domain_check', reason, effect: 'component_lost' }],
        };
      }
      return {
        block: domainBlock(record, Math.round(performance.now() - started)),
        reliability: 'planned',
        quality: record.checks_answered,
        fallbacks: 0,
        out_of_scope: false,
        degraded: [],
      };
    },
};
