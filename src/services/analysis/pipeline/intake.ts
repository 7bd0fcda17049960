import { createHash } from 'node:crypto';
import type { Caller } from '../../../foundation/auth.ts';
import type { Detail } from '../../../foundation/errors.ts';
import { checkAddress } from '../../../foundation/http/address-guard.ts';
import type { AllowList } from '../../../foundation/http/allow-list.ts';
import { FetchError } from '../../../foundation/http/reasons.ts';
import { IGNORABLE } from '../../../text/ignorable.ts';
import { errors } from '../errors.ts';
import { type AnalyzeRequest, PLAN_TYPE, TEXT_LENGTH } from '../resources/analyze-request.ts';
import { COMPONENTS } from '../resources/component-name.ts';
import { type MediaType, mediaTypeRow } from '../resources/media-types.ts';
import type { Omission } from '../session/outcome.ts';
import type { Submission } from '../session/submission.ts';

/** The rules of this installation by which requests are accepted. */
export interface IntakeRules {
  readonly mode: 'production' | 'staging';
  /** Private hosts that the operator opened. */
  readonly allow: AllowList;
  /** Whether an address is that of a stored medium; it is looked for among the caller's, not fetched. */
  readonly isStored: (address: string) => boolean;
}

const ignorable = new RegExp(`[${IGNORABLE}]`, 'gu');

/** NUL cannot be stored and a lone surrogate is no character: neither can be quoted back to a reader. */
function unreadable(value: string): string | null {
  if (value.includes('\0')) return 'The text holds a NUL character.';
  if (!value.isWellFormed()) return 'The text holds half of a surrogate pair.';
  return null;
}

function refuseUnreadable(request: AnalyzeRequest): void {
  const problems: Detail[] = [];
  for (const [name, value] of Object.entries(request)) {
    const message = typeof value === 'string' ? unreadable(value) : null;
    if (message !== null) problems.push({ path: ['body', name], type: 'value_error', message });
  }
  if (problems.length > 0) throw errors.validation_failed({ details: problems });
}

/** The number of code points, without building an array of them. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800) {
      length--;
      index++;
    }
  }
  return length;
}

/** The visible part of a text; invisible characters do not count towards its length. */
const withoutIgnorable = (text: string) => text.replace(ignorable, '');

function checkText(text: string | undefined): void {
  const length = codePointLength(withoutIgnorable(text ?? '').trim());
  if (length < TEXT_LENGTH.min || codePointLength(text ?? '') > TEXT_LENGTH.max) {
    throw errors.text_length({
      details: [
        {
          path: ['body', 'text'],
          type: 'text_length',
          message: `The text has ${length} ${length === 1 ? 'character' : 'characters'}.`,
        },
      ],
    });
  }
}

/** A web address in normal form, or a refusal. The outbound guard judges it again at each step. */
function checkWebAddress(value: string, field: string, allow: AllowList): string {
  try {
    return checkAddress(value.trim(), allow).href;
  } catch (cause) {
    if (!(cause instanceof FetchError)) throw cause;
    const { message } = cause;
    throw errors.url_not_allowed({
      message,
      details: [{ path: ['body', field], type: 'url', message }],
      cause,
    });
  }
}

/** The address of a medium: one of ours as it stands, any other in normal form. */
function checkMediaAddress(value: string, { isStored, allow }: IntakeRules): string {
  return isStored(value) ? value : checkWebAddress(value, 'media_url', allow);
}

function checkDuration(longest: number | undefined, seconds: number | undefined): void {
  if (longest !== undefined && seconds !== undefined && seconds > longest) throw errors.media_too_long();
}

/** The properties of a stored medium that are compared with the request. */
export interface MediumFacts {
  readonly mediaType: string;
  readonly durationSec: number | null;
}

/** Throws media_type_mismatch or media_too_long when a medium does not fit the request; a video may be submitted as sound. */
export function checkMedium(mediaType: MediaType, { mediaType: actual, durationSec }: MediumFacts): void {
  const fits = actual === mediaType || (mediaType === 'audio' && actual === 'video');
  if (!fits) {
    const message = `The medium is ${actual}; media_type is ${mediaType}.`;
    throw errors.media_type_mismatch({
      message,
      details: [{ path: ['body', 'media_type'], type: 'value_error', message }],
    });
  }
  checkDuration(mediaTypeRow(mediaType).longestSeconds, durationSec ?? undefined);
}

function chosenComponents(request: AnalyzeRequest): Pick<Submission, 'components' | 'skipped'> {
  const requested = request.components ?? [...COMPONENTS];
  const unwanted = new Set(request.skip_components ?? []);
  const components = COMPONENTS.filter((name) => requested.includes(name) && !unwanted.has(name));
  if (components.length === 0) {
    const message = 'No component is left to run.';
    throw errors.validation_failed({
      message,
      details: [{ path: ['body', 'components'], type: 'value_error', message }],
    });
  }
  const skipped = COMPONENTS.filter((name) => !components.includes(name)).map(
    (component): Omission => ({ component, reason: { code: 'left_out_by_request', values: {} } }),
  );
  return { components, skipped };
}

/** The plan asked for, within the caller's own limit. */
function allowedPlan(request: AnalyzeRequest, caller: Caller): number {
  const requestedPlan = request.plan_type ?? caller.planCap ?? PLAN_TYPE.default;
  return Math.min(requestedPlan, caller.planCap ?? PLAN_TYPE.max);
}

/** The text that is hashed: Unicode NFC with collapsed white space, so that layout does not change the hash. */
function hashInput(mediaType: MediaType, content: string): string {
  const normal = content.normalize('NFC').replace(/\s+/g, ' ').trim();
  return createHash('sha256').update(`${mediaType}\n${normal}`).digest('hex');
}

/** The name under which a user's sessions are kept. */
export function accountOf(realm: string, subject: string): string {
  return `${realm}/${subject}`;
}

/** The code of the language that a sender names; a locale is one with more. */
function spokenLanguage({ language }: AnalyzeRequest): Pick<Submission, 'spokenLanguage'> {
  const [, code] = /^([a-z]{2,3})(?:[-_][a-z0-9]+)*$/i.exec(language?.trim() ?? '') ?? [];
  return code === undefined ? {} : { spokenLanguage: code.toLowerCase() };
}

/** Turns a request into a submission, or throws the failure that the interface names for what is wrong with it. */
export function intake(request: AnalyzeRequest, caller: Caller, rules: IntakeRules): Submission {
  refuseUnreadable(request);
  const mediaType = request.media_type;
  const { field, longestSeconds } = mediaTypeRow(mediaType);
  const content = request[field];
  if (content === undefined) {
    const message = `media_type ${mediaType} needs the field ${field}.`;
    throw errors.media_type_mismatch({
      message,
      details: [{ path: ['body', field], type: 'missing', message }],
    });
  }
  if (field === 'text') checkText(request.text);
  const url = field === 'url' ? checkWebAddress(content, field, rules.allow) : null;
  const mediaUrl = field === 'media_url' ? checkMediaAddress(content, rules) : null;
  checkDuration(longestSeconds, request.media_duration_sec);
  const staged = rules.mode === 'staging' ? request.user_id : undefined;
  return {
    mediaType,
    text: field === 'text' ? content : null,
    url,
    mediaUrl,
    userId: staged ?? caller.subject,
    account: accountOf(caller.realm, staged ?? caller.subject),
    userEmail: staged === undefined ? caller.email : null,
    sourceApp: caller.application ?? 'api',
    planType: allowedPlan(request, caller),
    ...chosenComponents(request),
    userFlagged: request.user_flagged ?? false,
    ...spokenLanguage(request),
    inputHash: hashInput(mediaType, url ?? mediaUrl ?? content),
  };
}
