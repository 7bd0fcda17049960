import { defineCommand } from 'citty';
import { z } from 'zod';
import { platformSettings, publicUrlOf } from '../foundation/platform.ts';
import { type Environment, parseSettings } from '../foundation/settings.ts';
import { keyOperations } from '../services/analysis/contract/keys.ts';
import { type Api, callJson } from './api.ts';
import { givenToken, signedToken } from './own-token.ts';

const KEYS = `/agent-v3${keyOperations.keys.path}`;
const PAGE = 100;

const environmentVariables = z.object({
  LIMPEDE_PORT: platformSettings.shape.LIMPEDE_PORT,
  LIMPEDE_PUBLIC_URL: platformSettings.shape.LIMPEDE_PUBLIC_URL,
});

async function findApi(environment: Environment, user: string | undefined): Promise<Api> {
  const settings = parseSettings(environmentVariables, environment);
  const given = user === undefined ? givenToken(environment) : undefined;
  const access = given ?? (await signedToken(environment, user === undefined ? {} : { user }));
  return { url: publicUrlOf(settings, environment), ...access };
}

/** What a key is issued with, as typed. */
export interface KeyRequest {
  readonly label: string;
  readonly scopes?: string | undefined;
  readonly expires?: string | undefined;
}

/** Issues a key; resolves to the key itself, which is shown nowhere else. */
export async function issueKey(api: Api, { label, scopes, expires }: KeyRequest): Promise<string> {
  const body = {
    label,
    ...(scopes !== undefined && { scopes: scopes.split(',').map((scope) => scope.trim()) }),
    ...(expires !== undefined && { expires_at: expires }),
  };
  return keyOperations.issueKey.answer.parse(await callJson(api, 'POST', KEYS, { body })).data.key;
}

/** The keys of the caller, one in a line: id, prefix, scopes, last use, end, label. */
export async function listKeys(api: Api): Promise<string[]> {
  const lines: string[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await callJson(api, 'GET', `${KEYS}?page=${page}&limit=${PAGE}`);
    const { items, pagination } = keyOperations.keys.answer.parse(answer).data;
    pages = pagination.pages;
    for (const { id, prefix, scopes, last_used_at, expires_at, label } of items) {
      const columns = [
        id,
        `${prefix}...`,
        scopes.join(','),
        last_used_at ?? 'unused',
        expires_at ?? 'no end',
        label,
      ];
      lines.push(columns.join('\t'));
    }
  }
  return lines;
}

/** Revokes a key by its id. */
export async function revokeKey(api: Api, id: string): Promise<void> {
  await callJson(api, 'DELETE', `${KEYS}/${encodeURIComponent(id)}`);
}

const user = { type: 'string', description: 'The user of the realm clients; unset means reader' } as const;

/** `limpede keys`: keys by which a browser extension acts for a user of a running platform. */
export function keysCommand(environment: Environment) {
  const issue = defineCommand({
    meta: { name: 'issue', description: 'Issue a key and print it, once' },
    args: {
      label: { type: 'string', required: true, description: 'What the key is for' },
      scopes: { type: 'string', description: 'analyze, read, or both with a comma; unset means both' },
      expires: { type: 'string', description: 'When it ends, such as 2030-01-01T00:00:00Z' },
      user,
    },
    run: async ({ args: { label, scopes, expires, user: name } }) => {
      console.log(await issueKey(await findApi(environment, name), { label, scopes, expires }));
    },
  });
  const list = defineCommand({
    meta: { name: 'list', description: 'List the keys that were not revoked' },
    args: { user },
    run: async ({ args }) => {
      for (const line of await listKeys(await findApi(environment, args.user))) console.log(line);
    },
  });
  const revoke = defineCommand({
    meta: { name: 'revoke', description: 'Revoke a key' },
    args: {
      id: { type: 'positional', required: true, description: 'The id of the key, from the list' },
      user,
    },
    run: async ({ args }) => {
      await revokeKey(await findApi(environment, args.user), args.id);
      console.error('revoked');
    },
  });
  return defineCommand({
    meta: { name: 'keys', description: 'Issue, list and revoke keys for browser extensions' },
    subCommands: { issue, list, revoke },
  });
}
