import type { BackendName } from '../contract.ts';
import type { NamedFields } from './completion-request.ts';
import {
  type ByteEdit,
  elementStarts,
  insert,
  type Member,
  members,
  removals,
  skipSpace,
  splice,
} from './json-bytes.ts';

/** The specification's temperature when the caller sends none. */
const DEFAULT_TEMPERATURE = 0.7;
const NO_THINKING = '"chat_template_kwargs":{"enable_thinking":false}';
const WITH_USAGE = '"include_usage":true';

/** The named changes that one backend needs; everything else of the body stays unchanged. */
export interface Changes {
  /** The model to name instead of the caller's; undefined keeps it. */
  readonly model: string | undefined;
  /** Local backends know no developer role: it becomes system. */
  readonly developerAsSystem: boolean;
  readonly disableThinking: boolean;
  /** Asks for the usage event of a stream. */
  readonly askUsage: boolean;
}

/** The rules of the specification for a backend, applied to one request. */
export function changesFor(
  backend: BackendName,
  operation: 'chat' | 'complete',
  fields: NamedFields,
  rules: { model: string | undefined; disableThinking: boolean; askUsage: boolean },
): Changes {
  const chat = operation === 'chat';
  return {
    model: rules.model === fields.model ? undefined : rules.model,
    developerAsSystem: chat && fields.hasDeveloperMessage && backend !== 'cloud',
    disableThinking: chat && backend === 'gpu' && rules.disableThinking && !fields.hasTemplateArguments,
    askUsage: fields.stream && rules.askUsage && !fields.wantsUsage,
  };
}

/** Fields of the body that must be taken out or rewritten where they stand. */
interface Standing {
  readonly body: Buffer;
  readonly all: Member[];
}

function developerEdits({ body, all }: Standing): ByteEdit[] {
  const messages = all.findLast((member) => member.key === 'messages');
  if (messages === undefined) return [];
  return elementStarts(body, messages.valueStart).flatMap((start) => {
    const role = members(body, start).findLast((member) => member.key === 'role');
    if (role === undefined || body.toString('utf8', role.valueStart, role.valueEnd) !== '"developer"')
      return [];
    return [{ start: role.valueStart, end: role.valueEnd, text: '"system"' }];
  });
}

/** Rewrites the value of a member where it stands, or nothing when the member is absent. */
function rewrite({ all }: Standing, key: string, text: string): ByteEdit[] {
  const member = all.findLast((candidate) => candidate.key === key);
  return member === undefined ? [] : [{ start: member.valueStart, end: member.valueEnd, text }];
}

/** Puts include_usage into the caller's own stream_options; its other members stay. */
function usageEdits({ body, all }: Standing): ByteEdit[] {
  const options = all.findLast((member) => member.key === 'stream_options');
  if (options === undefined) return [];
  const isObject = body[options.valueStart] === 0x7b;
  if (!isObject) return [{ start: options.valueStart, end: options.valueEnd, text: `{${WITH_USAGE}}` }];
  const inner = members(body, options.valueStart);
  const own = inner.findLast((member) => member.key === 'include_usage');
  if (own !== undefined) return [{ start: own.valueStart, end: own.valueEnd, text: 'true' }];
  const text = inner.length > 0 ? `${WITH_USAGE},` : WITH_USAGE;
  return [{ start: options.valueStart + 1, end: options.valueStart + 1, text }];
}

/** Members to put at the front of the body: those that no edit could rewrite where they stand. */
function additions(fields: NamedFields, changes: Changes, present: (key: string) => boolean): string[] {
  const added: string[] = [];
  if (changes.model !== undefined && !present('model'))
    added.push(`"model":${JSON.stringify(changes.model)}`);
  if (!fields.hasTemperature && !present('temperature')) added.push(`"temperature":${DEFAULT_TEMPERATURE}`);
  if (changes.disableThinking && !present('chat_template_kwargs')) added.push(NO_THINKING);
  if (changes.askUsage && !present('stream_options')) added.push(`"stream_options":{${WITH_USAGE}}`);
  return added;
}

/** Whether the body must be read member by member: most bodies need only members put at their front. */
function needsMembers(
  keys: Readonly<Record<string, unknown>>,
  fields: NamedFields,
  changes: Changes,
): boolean {
  return (
    'backend' in keys ||
    (changes.model !== undefined && 'model' in keys) ||
    changes.developerAsSystem ||
    (!fields.hasTemperature && 'temperature' in keys) ||
    (changes.disableThinking && 'chat_template_kwargs' in keys) ||
    (changes.askUsage && 'stream_options' in keys)
  );
}

/**
 * The body for one backend: the caller's bytes with the named changes spliced in. `parsed` is the same body, parsed.
 * The field `backend` is our own and is taken out.
 */
export function editRequest(
  body: Buffer,
  parsed: Readonly<Record<string, unknown>>,
  fields: NamedFields,
  changes: Changes,
): Buffer {
  const open = skipSpace(body, 0);
  const added = additions(fields, changes, (key) => key in parsed);
  if (!needsMembers(parsed, fields, changes)) {
    return added.length === 0 ? body : insert(body, open + 1, `${added.join(',')},`);
  }
  const all = members(body, open);
  const standing = { body, all };
  const edits = removals(all, 'backend');
  if (changes.model !== undefined) edits.push(...rewrite(standing, 'model', JSON.stringify(changes.model)));
  if (changes.developerAsSystem) edits.push(...developerEdits(standing));
  if (!fields.hasTemperature) edits.push(...rewrite(standing, 'temperature', String(DEFAULT_TEMPERATURE)));
  if (changes.disableThinking) {
    edits.push(...rewrite(standing, 'chat_template_kwargs', '{"enable_thinking":false}'));
  }
  if (changes.askUsage) edits.push(...usageEdits(standing));
  if (added.length > 0) edits.push({ start: open + 1, end: open + 1, text: `${added.join(',')},` });
  return splice(body, edits);
}

/** The answer with `backend` put in at its end; one that the backend itself sent is taken out. */
export function nameBackend(answer: Buffer, backend: BackendName): Buffer {
  const end = answer.lastIndexOf(0x7d);
  const open = skipSpace(answer, 0);
  if (answer.indexOf('"backend"') >= 0) {
    const all = members(answer, open);
    const only = all.every((member) => member.key === 'backend');
    const text = only ? `"backend":"${backend}"` : `,"backend":"${backend}"`;
    return splice(answer, [...removals(all, 'backend'), { start: end, end, text }]);
  }
  const empty = skipSpace(answer, open + 1) === end;
  return insert(answer, end, empty ? `"backend":"${backend}"` : `,"backend":"${backend}"`);
}
