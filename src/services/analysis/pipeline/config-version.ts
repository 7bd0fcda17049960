import { createHash } from 'node:crypto';
import { STAGES } from '../resources/stage.ts';
import type { Plan } from '../session/plan.ts';
import { PROMPTS } from './estimate.ts';

/** The settings of this installation that decide what the steps find. */
export interface StageSettings {
  /** Whether a text model is asked. */
  readonly asksModel: boolean;
  /** The model that is asked for by name; null: whichever the gateway lists first. */
  readonly model: string | null;
}

/** Names a configuration: what a session's plan holds of it, the settings, our engines and prompts. */
export type ConfigVersion = (
  plan: Pick<Plan, 'rulesVersion' | 'profile' | 'assignments' | 'tuning'>,
) => string;

/** Enough of a SHA-256, in hexadecimal digits, to distinguish configurations. */
const DIGITS = 16;

/** JSON with the keys of every object in one order: the database gives them back in another than they had. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** Makes the versions of an installation with these settings: equal exactly when results are made in the same way. */
export function createConfigVersion(settings: StageSettings): ConfigVersion {
  const prompts = Object.values(PROMPTS).map(({ key, version }) => `${key}@${version}`);
  const stages = [settings.asksModel, settings.model, STAGES, prompts];
  return ({ rulesVersion, profile, assignments, tuning }) =>
    createHash('sha256')
      .update(canonicalJson([rulesVersion, profile, assignments, tuning, stages]))
      .digest('hex')
      .slice(0, DIGITS);
}
