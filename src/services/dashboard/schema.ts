import { z } from 'zod';
import type { ConfigurationSnapshot } from '../../foundation/configuration/configuration.ts';
import type { Tunable } from '../../foundation/configuration/tunable.ts';

/** One value as a JSON Schema, with what holds and what it is for. */
function propertyOf(tunable: Tunable, snapshot: ConfigurationSnapshot) {
  const { $schema: _, ...form } = z.toJSONSchema(tunable.schema, { io: 'input', unrepresentable: 'any' });
  const { value, change } = snapshot.get(tunable);
  return {
    ...form,
    default: tunable.fallback,
    current: value,
    description: tunable.description_en,
    description_en: tunable.description_en,
    description_ro: tunable.description_ro,
    requires_restart: tunable.requires_restart ?? false,
    secret: false as const,
    service: tunable.key.slice(0, tunable.key.indexOf('.')),
    version: change?.version ?? 0,
  };
}

/** Every value that staff may change, as a JSON Schema of the whole configuration. */
export function configSchemaOf(tunables: readonly Tunable[], snapshot: ConfigurationSnapshot) {
  const properties = tunables.map((tunable) => [tunable.key, propertyOf(tunable, snapshot)] as const);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Limpede configuration',
    type: 'object' as const,
    additionalProperties: false as const,
    config_version: snapshot.version,
    properties: Object.fromEntries(properties),
  };
}
