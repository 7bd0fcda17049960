import { readFileSync } from 'node:fs';
import { defineCommand, type EnumArgDef } from 'citty';
import { z } from 'zod';
import { platformSettings, publicUrlOf } from '../foundation/platform.ts';
import { type Environment, parseSettings } from '../foundation/settings.ts';
import { moderationOperations } from '../services/analysis/contract/moderation.ts';
import {
  MODERATION_STATUSES,
  type ModerationQueueEntry,
  moderationResolveRequest,
  RESOLUTION_ACTIONS,
} from '../services/analysis/resources/moderation.ts';
import { type Api, ApiError, callJson, PREFIX } from './api.ts';
import { givenToken, signedToken } from './own-token.ts';
import { report } from './session-report.ts';
import { UserError } from './user-error.ts';

const QUEUE = `${PREFIX}${moderationOperations.moderationQueue.path}`;
const PAGE = 100;
const REPORT_WIDTH = 96;

const environmentVariables = z.object({
  LIMPEDE_PORT: platformSettings.shape.LIMPEDE_PORT,
  LIMPEDE_PUBLIC_URL: platformSettings.shape.LIMPEDE_PUBLIC_URL,
});

/** The platform as a moderator: by LIMPEDE_TOKEN, else by a token of the embedded provider. */
async function findApi(environment: Environment, user: string): Promise<Api> {
  const settings = parseSettings(environmentVariables, environment);
  const access =
    givenToken(environment) ?? (await signedToken(environment, { realm: 'admins', user, role: 'moderator' }));
  return { url: publicUrlOf(settings, environment), ...access };
}

const entryPath = (id: string, step = '') => `${QUEUE}/${encodeURIComponent(id)}${step}`;

/** An entry in one line: id, priority, reason, status, since when, session. */
function lineOf({
  queue_id,
  priority,
  enqueue_reason,
  status,
  created_at,
  session_id,
}: ModerationQueueEntry) {
  return [queue_id, priority, enqueue_reason, status, created_at, session_id].join('\t');
}

/** The entries of a status, the most urgent first. */
export async function listEntries(api: Api, status: string): Promise<string[]> {
  const lines: string[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await callJson(api, 'GET', `${QUEUE}?status=${status}&page=${page}&limit=${PAGE}`);
    const { items, pagination } = moderationOperations.moderationQueue.answer.parse(answer).data;
    pages = pagination.pages;
    lines.push(...items.map(lineOf));
  }
  return lines;
}

/** An entry with the report of its session. */
export async function showEntry(api: Api, id: string, language: 'en' | 'ro'): Promise<string> {
  const answer = await callJson(api, 'GET', entryPath(id));
  const { entry, session } = moderationOperations.moderationEntry.answer.parse(answer).data;
  if (session === null) return lineOf(entry);
  return `${lineOf(entry)}\n${report(session, { language, width: REPORT_WIDTH, colour: false })}`;
}

/** Claims the most urgent entry; its id. */
export async function claimNext(api: Api): Promise<string> {
  const answer = await callJson(api, 'POST', `${QUEUE}/next`, { body: {} });
  return String(moderationOperations.moderationNext.answer.parse(answer).data.queue_id);
}

/** What a reviewer decides, as typed. */
export interface ReviewDecision {
  readonly action: string;
  readonly notes?: string | undefined;
  /** A JSON file of merge patches of the blocks. */
  readonly corrections?: string | undefined;
}

function bodyOf({ action, notes, corrections }: ReviewDecision): unknown {
  const body = {
    action,
    ...(notes !== undefined && { notes }),
    ...(corrections !== undefined && { corrections: jsonFile(corrections) }),
  };
  const checked = moderationResolveRequest.safeParse(body);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new UserError(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
}

function jsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UserError(`${path}: ${error instanceof Error ? error.message : 'no JSON'}`);
  }
}

/** Decides an entry, which is claimed first unless the caller holds it already. */
export async function resolveEntry(api: Api, id: string, decision: ReviewDecision): Promise<string> {
  const body = bodyOf(decision);
  try {
    await callJson(api, 'POST', entryPath(id, '/claim'), { body: {} });
  } catch (error) {
    // Held already, perhaps by the caller: resolving says whether it is.
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  }
  const answer = await callJson(api, 'POST', entryPath(id, '/resolve'), { body });
  return lineOf(moderationOperations.moderationResolve.answer.parse(answer).data);
}

const user = {
  type: 'string',
  default: 'moderator',
  description: 'The moderator of the realm admins',
} as const;
const id = { type: 'positional', required: true, description: 'The id of the entry, from the list' } as const;
const lang: EnumArgDef = {
  type: 'enum',
  options: ['en', 'ro'],
  default: 'en',
  description: 'Language of the report',
};
const languageOf = (text: unknown) => (text === 'ro' ? 'ro' : 'en');

/** `limpede moderate`: the moderation queue of a running platform. */
export function moderateCommand(environment: Environment) {
  const list = defineCommand({
    meta: { name: 'list', description: 'List entries: id, priority, reason, status, since when, session' },
    args: {
      status: { type: 'enum', options: [...MODERATION_STATUSES], default: 'pending', description: 'Status' },
      user,
    },
    run: async ({ args }) => {
      for (const line of await listEntries(await findApi(environment, args.user), args.status))
        console.log(line);
    },
  });
  const show = defineCommand({
    meta: { name: 'show', description: 'Print an entry with the report of its session' },
    args: { id, lang, user },
    run: async ({ args }) =>
      console.log(await showEntry(await findApi(environment, args.user), args.id, languageOf(args.lang))),
  });
  const next = defineCommand({
    meta: { name: 'next', description: 'Claim the most urgent entry and print it' },
    args: { lang, user },
    run: async ({ args }) => {
      const api = await findApi(environment, args.user);
      console.log(await showEntry(api, await claimNext(api), languageOf(args.lang)));
    },
  });
  const resolve = defineCommand({
    meta: { name: 'resolve', description: 'Decide an entry; it is claimed first when nobody holds it' },
    args: {
      id,
      action: { type: 'enum', required: true, options: [...RESOLUTION_ACTIONS], description: 'The decision' },
      notes: { type: 'string', description: 'Why' },
      corrections: { type: 'string', description: 'With corrected: a JSON file of merge patches by block' },
      user,
    },
    run: async ({ args: { id: entry, action, notes, corrections, user: name } }) => {
      const api = await findApi(environment, name);
      console.log(await resolveEntry(api, entry, { action: String(action), notes, corrections }));
    },
  });
  return defineCommand({
    meta: { name: 'moderate', description: 'List, read and decide what waits for a person' },
    subCommands: { list, show, next, resolve },
  });
}
