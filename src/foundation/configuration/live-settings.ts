import { z } from 'zod';
import type { SettingsSchema } from '../settings.ts';
import type { Configuration } from './configuration.ts';
import { defineTunable, type Tunable } from './tunable.ts';

/** A setting that staff may change: the environment says what holds until they do. */
export interface LiveSetting {
  /** Its name in the environment. */
  readonly name: string;
  readonly key: string;
  /** The tunable of an installation with these settings. */
  of(settings: Readonly<Record<string, unknown>>): Tunable;
}

/** The settings of the environment behind those that follow the configuration. */
const followed = new WeakMap<object, Readonly<Record<string, unknown>>>();
const environmentOf = (settings: Readonly<Record<string, unknown>>) => followed.get(settings) ?? settings;

/** The Romanian description of a setting; the English one is its own. */
interface SettingDescription {
  readonly ro: string;
  /** Its key after the service, when that is not the name without its first word. */
  readonly key?: string;
  /** It is read once, when a process starts. */
  readonly restart?: true;
}

/** The schema of a setting for JSON values; the environment has only texts, which the setting's own schema parses. */
function jsonForm(setting: z.ZodType, name: string): z.ZodType {
  const usual = setting.safeParse(undefined);
  const inner = setting instanceof z.ZodDefault ? (setting.unwrap() as z.ZodType) : setting;
  if (inner instanceof z.ZodEnum) return inner;
  if (inner instanceof z.ZodNumber) {
    const number = inner.isInt ? z.int() : z.number();
    return number.min(inner.minValue ?? 0).max(inner.maxValue ?? Number.MAX_SAFE_INTEGER);
  }
  if (usual.success && typeof usual.data === 'boolean') return z.boolean();
  throw new Error(`${name} is neither a number, a switch nor one of some words`);
}

/**
 * Declares which settings of a service staff may change. The key of a tunable is the service and the setting's name without
 * its first word: `web.rate_limit_rps` is WEB_RATE_LIMIT_RPS.
 */
export function liveSettings<Schema extends SettingsSchema>(
  service: string,
  schema: Schema,
  words: { readonly [Name in keyof Schema['shape'] & string]?: string | SettingDescription },
): LiveSetting[] {
  return Object.entries<string | SettingDescription | undefined>(words).flatMap(([name, description]) => {
    const setting = schema.shape[name];
    if (setting === undefined || description === undefined) return [];
    const details: SettingDescription = typeof description === 'string' ? { ro: description } : description;
    const { ro, restart, key: named = name.slice(name.indexOf('_') + 1).toLowerCase() } = details;
    const form = jsonForm(setting, name);
    const key = `${service}.${named}`;
    const declared = {
      key,
      schema: form,
      description_en: setting.description ?? '',
      description_ro: ro,
      ...(restart && { requires_restart: restart }),
    };
    return [
      {
        name,
        key,
        of: (settings) => defineTunable({ ...declared, fallback: environmentOf(settings)[name] }),
      },
    ];
  });
}

/**
 * Settings whose properties return the current values. A value that was read does not change later: a limit is read where
 * it is used, and work that lasts reads it once.
 */
export function followSettings<Settings extends object>(
  settings: Settings,
  live: readonly LiveSetting[],
  { current }: Pick<Configuration, 'current'>,
): Settings {
  const following = { ...settings };
  for (const setting of live) {
    const tunable = setting.of(settings as Readonly<Record<string, unknown>>);
    Object.defineProperty(following, setting.name, {
      enumerable: true,
      ...(tunable.requires_restart
        ? { value: current().get(tunable).value }
        : { get: () => current().get(tunable).value }),
    });
  }
  followed.set(following, settings as Readonly<Record<string, unknown>>);
  return following;
}
