import { z } from 'zod';
import type { LocalizedText } from '../../foundation/localized-text.ts';
import { REASONS } from './reason-table.ts';

/** The languages in which every reason can be read. */
export type ReasonLanguage = 'en' | 'ro';

/** Names of components and dependencies inside a sentence. */
const PARTS: Readonly<Record<string, LocalizedText>> = {
  techniques: { en: 'the check of wording', ro: 'verificarea formulărilor' },
  ai_tampered: { en: 'the check for AI and tampering', ro: 'verificarea urmelor de IA și de falsificare' },
  claims: { en: 'the check of claims', ro: 'verificarea afirmațiilor' },
  domain: { en: 'the check of the source', ro: 'verificarea sursei' },
  llm: { en: 'the text model', ro: 'modelul de limbaj' },
  vision: { en: 'the vision model', ro: 'modelul de analiză a imaginilor' },
  speech: { en: 'the speech server', ro: 'serverul de transcriere' },
  video: { en: 'the video service', ro: 'serviciul video' },
  extractors: { en: 'the extraction service', ro: 'serviciul de extragere' },
  forensic: { en: 'the forensic service', ro: 'serviciul de analiză criminalistică' },
  brain: { en: 'the verification cache', ro: 'arhiva de verificări' },
  web: { en: 'the web service', ro: 'serviciul web' },
  domain_check: { en: 'the domain check', ro: 'verificarea domeniului' },
  objects: { en: 'the store of media', ro: 'depozitul de fișiere media' },
  encoder: { en: 'the sentence encoder', ro: 'codificatorul de propoziții' },
  embeddings: { en: 'the embeddings service', ro: 'serviciul de vectori semantici' },
  reranking: { en: 'the reranking service', ro: 'serviciul de reordonare' },
};

/** What may stand in braces in a sentence; `part` is a component or a dependency. */
interface ValueTypes {
  part: string;
  seconds: number;
  status: number;
  words: number;
}

type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** Code of a reason. */
export type ReasonCode = keyof typeof REASONS;

/** The values that a sentence needs, in either language. */
type ValuesOf<Code extends ReasonCode> = {
  readonly [Name in Placeholders<(typeof REASONS)[Code][ReasonLanguage]> &
    keyof ValueTypes]: ValueTypes[Name];
};

/** A reason of one code, with the values of its sentence. */
export type ReasonOf<Code extends ReasonCode> = {
  [Each in Code]: { readonly code: Each; readonly values: ValuesOf<Each> };
}[Code];

/** A reason: a code of the table with the values of its sentence. */
export type Reason = ReasonOf<ReasonCode>;

/** All codes, in the order of the table. */
export const REASON_CODES = Object.keys(REASONS) as ReasonCode[];

const placeholder = /\{(\w+)\}/g;

function isReason(value: unknown): value is Reason {
  const parsed = z
    .object({ code: z.enum(REASON_CODES), values: z.record(z.string(), z.union([z.string(), z.number()])) })
    .safeParse(value);
  if (!parsed.success) return false;
  const { code, values } = parsed.data;
  return [...REASONS[code].en.matchAll(placeholder)].every(([, name = '']) => name in values);
}

/** A reason by a code that comes from elsewhere; undefined when the table has no such sentence without values. */
export function plainReason(code: string): Reason | undefined {
  const reason: unknown = { code, values: {} };
  return isReason(reason) ? reason : undefined;
}

/** A stored reason, checked against the table. */
export const storedReason = z.custom<Reason>(isReason, 'no reason of the table');

function printed(name: string, value: string | number | undefined, language: ReasonLanguage): string {
  if (name === 'part') return PARTS[String(value)]?.[language] ?? String(value);
  const text = String(value);
  return typeof value === 'number' && language === 'ro' ? text.replace('.', ',') : text;
}

/** The sentence of a reason in a language: the one place where a reason becomes words. */
export function sentence(reason: Reason, language: ReasonLanguage): string {
  const values: Readonly<Record<string, string | number>> = reason.values;
  const text = REASONS[reason.code][language].replace(placeholder, (_, name: string) =>
    printed(name, values[name], language),
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The form of a reason in answers: its code, and its sentence in English and Romanian. */
export function reasonFields(reason: Reason) {
  return { code: reason.code, reason: sentence(reason, 'en'), reason_ro: sentence(reason, 'ro') };
}

/** How a dependency was lost. */
export const LOSS_REASONS = [
  'timeout',
  'unavailable',
  'rate_limited',
  'invalid_answer',
] as const satisfies ReasonCode[];
/**
 * The effect of a loss: `own_engine` the dependency is off by setting and our engine answers at no cost; `fallback` it was
 * lost and another engine stood in; `part_missing` the part has no other engine; `component_lost` a component gave nothing.
 */
export const LOSS_EFFECTS = [
  'own_engine',
  'fallback',
  'part_missing',
  'component_lost',
] as const satisfies ReasonCode[];

/** A dependency that was lost, and the effect on the result. */
export interface Degradation {
  readonly dependency: string;
  readonly reason: (typeof LOSS_REASONS)[number];
  readonly effect: (typeof LOSS_EFFECTS)[number];
}

function message({ dependency, reason, effect }: Degradation, language: ReasonLanguage): string {
  const values = { part: dependency };
  if (effect === 'own_engine') return sentence({ code: effect, values }, language);
  return `${sentence({ code: reason, values }, language)} ${sentence({ code: effect, values: {} }, language)}`;
}

/** The form of a loss in answers: with a message in English and Romanian. */
export function degradationFields(degradation: Degradation) {
  const { dependency, reason, effect } = degradation;
  return {
    dependency,
    reason,
    effect,
    message: message(degradation, 'en'),
    message_ro: message(degradation, 'ro'),
  };
}
