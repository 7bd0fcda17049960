import { z } from 'zod';

/** Where settings come from: the environment, as read by the program's entry. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A zod object whose keys are environment names, each with a description and, mostly, a default. */
export type SettingsSchema = z.ZodObject<Record<string, z.ZodType>>;

/** All problems of the environment in one error. */
export class SettingsError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`The settings are wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** A text setting. */
export const text = (fallback: string) => z.string().trim().default(fallback);

/** A text setting that may be unset. */
export const optionalText = () => z.string().trim().optional();

/** A number setting within bounds. */
export const number = (fallback: number, minimum: number, maximum: number) =>
  z.coerce.number().min(minimum).max(maximum).default(fallback);

/** A whole-number setting within bounds. */
export const integer = (fallback: number, minimum: number, maximum: number) =>
  z.coerce.number().int().min(minimum).max(maximum).default(fallback);

/** A switch: true, false, 1, 0, yes, no, on, off. */
export const flag = (fallback: boolean) => z.stringbool().default(fallback);

/** A comma-separated list; unset means the empty list. */
export const list = () =>
  z
    .string()
    .default('')
    .transform((value) =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    );

/** An http or https address without its trailing slash; may be unset. */
export const address = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .transform((value) => value.replace(/\/+$/, ''))
    .optional();

/** The address of a dependency: unset (the default applies), an address, or `none` to switch it off. */
export const dependency = () =>
  z.union([z.literal('none'), address()], { error: 'must be an http or https address, or none' }).optional();

/** Whether a dependency is switched off, or has no address at all. */
export const isOff = (setting: string | undefined): setting is 'none' | undefined =>
  setting === undefined || setting === 'none';

/** The address of a dependency; undefined when it is switched off or has none. */
export const addressOf = (setting: string | undefined): string | undefined =>
  isOff(setting) ? undefined : setting;

/** Reads one schema; empty strings count as unset. Returns problems instead of throwing, so that all are reported at once. */
export function readSettings<Schema extends SettingsSchema>(
  schema: Schema,
  environment: Environment,
): { settings: z.infer<Schema> } | { problems: string[] } {
  const present = Object.fromEntries(
    Object.keys(schema.shape)
      .map((key) => [key, environment[key]] as const)
      .filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const result = schema.safeParse(present);
  if (result.success) return { settings: result.data };
  return { problems: result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) };
}

/** Reads one schema and throws a SettingsError that lists every problem. */
export function parseSettings<Schema extends SettingsSchema>(
  schema: Schema,
  environment: Environment,
): z.infer<Schema> {
  const result = readSettings(schema, environment);
  if ('problems' in result) throw new SettingsError(result.problems);
  return result.settings;
}

/** What settings name by an address, in small letters: `llm` for LLM_URL. What is unset or switched off is left out. */
export function namedAddresses(settings: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const isAddress = name.endsWith('_URL') && typeof value === 'string' && value !== 'none';
    return isAddress ? [name.slice(0, -'_URL'.length).toLowerCase()] : [];
  });
}

/** A setting that another service declares; the generated page shows it there. */
export const settingOfOtherService = <Setting extends z.ZodType>(setting: Setting): Setting =>
  setting.meta({ ...setting.meta(), borrowed: true });

/** One row of the generated settings page. */
export interface SettingRow {
  name: string;
  description: string;
  fallback: string;
}

/** Name, description and default of each setting of a schema. */
export function settingRows(schema: SettingsSchema): SettingRow[] {
  const own = Object.entries(schema.shape).filter(([, type]) => type.meta()?.borrowed !== true);
  return own.map(([name, type]) => {
    const result = type.safeParse(undefined);
    const fallback = result.success && result.data !== undefined ? JSON.stringify(result.data) : '';
    return { name, description: type.description ?? '', fallback };
  });
}
