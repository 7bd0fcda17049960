import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type {
  Configuration,
  ConfigurationSnapshot,
} from '../../../foundation/configuration/configuration.ts';
import { jsonb } from '../../../foundation/database/storable.ts';
import { MEDIA_TYPES } from '../resources/media-types.ts';
import {
  shippedVerdictRules,
  type VerdictRules,
  type VerdictRulesSource,
  verdictRules,
} from '../resources/verdict-rules.ts';
import { profileTunables, RULE_PARTS, rulePartTunables } from '../tunables.ts';
import type { AnalysisTables } from './tables.ts';

/**
 * The rules of a configuration: those of the product with the profiles and parts that staff changed. Their version is that of
 * the product, with the number of the last such change after a plus sign: `1.0.0+7`.
 */
export function rulesOf(configuration: ConfigurationSnapshot): VerdictRules {
  const profiles = MEDIA_TYPES.map((media_type) => {
    const { value, change } = configuration.get(profileTunables[media_type]);
    return { profile: { ...value, media_type }, changed: change?.configVersion ?? 0 };
  });
  const parts = RULE_PARTS.map((part) => ({ part, ...configuration.get<z.ZodType>(rulePartTunables[part]) }));
  const changed = Math.max(
    ...profiles.map((row) => row.changed),
    ...parts.map(({ change }) => change?.configVersion ?? 0),
  );
  if (changed === 0) return shippedVerdictRules;
  return {
    ...shippedVerdictRules,
    ...Object.fromEntries(parts.map(({ part, value }) => [part, value])),
    version: `${shippedVerdictRules.version}+${changed}`,
    weight_profiles: profiles.map(({ profile }) => profile),
  };
}

/** Rules as staff have them now, and every version that ever judged a session here. */
export function storedVerdictRules(
  queries: Kysely<AnalysisTables>,
  configuration: Pick<Configuration, 'current'>,
): VerdictRulesSource {
  /** By version; versions never change, and an installation has few. */
  const known = new Map<string, VerdictRules>();

  /** Stores rules before anything is judged by them. */
  const keep = async (rules: VerdictRules): Promise<VerdictRules> => {
    await queries
      .insertInto('analysis_verdict_rules')
      .values({ version: rules.version, rules: jsonb(rules) })
      .onConflict((conflict) => conflict.column('version').doNothing())
      .execute();
    known.set(rules.version, rules);
    return rules;
  };

  return {
    current: async () => {
      const rules = rulesOf(configuration.current());
      return known.get(rules.version) ?? keep(rules);
    },
    ofVersion: async (version) => {
      const rules = known.get(version);
      if (rules !== undefined) return rules;
      const row = await queries
        .selectFrom('analysis_verdict_rules')
        .select('rules')
        .where('version', '=', version)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const stored = verdictRules.parse(row.rules);
      known.set(version, stored);
      return stored;
    },
  };
}
