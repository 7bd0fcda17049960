import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { platformSettings } from '../foundation/platform.ts';
import { type Environment, parseSettings } from '../foundation/settings.ts';
import { identityFolder } from '../services/identity/keys.ts';
import type { Api } from './api.ts';
import { makeToken, type TokenOptions } from './token.ts';

const environmentVariables = z.object({
  LIMPEDE_HOME: platformSettings.shape.LIMPEDE_HOME,
  LIMPEDE_TOKEN: z.string().trim().min(1).optional(),
});

/** The token that the environment gives, and what to do when it is refused; undefined when it gives none. */
export function givenToken(environment: Environment): Pick<Api, 'token' | 'advice'> | undefined {
  const { LIMPEDE_TOKEN } = parseSettings(environmentVariables, environment);
  if (LIMPEDE_TOKEN === undefined) return undefined;
  const advice =
    'The token is that of LIMPEDE_TOKEN: set a valid one of this platform, or none, so that one is signed with the keys in LIMPEDE_HOME.';
  return { token: LIMPEDE_TOKEN, advice };
}

/** A token that is signed with the keys of the data folder, and what to do when it is refused. */
export async function signedToken(
  environment: Environment,
  options: TokenOptions,
): Promise<Pick<Api, 'token' | 'advice'>> {
  const folder = identityFolder(resolve(parseSettings(environmentVariables, environment).LIMPEDE_HOME));
  const isNew = !existsSync(join(folder, `${options.realm ?? 'clients'}-keys.json`));
  const token = await makeToken(options, environment);
  const advice =
    `The token was signed with the keys in ${folder}${isNew ? ', which were made for it just now' : ''}: set LIMPEDE_HOME to the data ` +
    'folder of the platform that runs there, LIMPEDE_PUBLIC_URL to what it is there, or LIMPEDE_TOKEN to a token of it.';
  return { token, advice };
}
