import type { z } from 'zod';
import type { LossReason } from '../../../../foundation/client.ts';
import type { StageName } from '../../resources/stage.ts';
import type { Tuning } from '../../resources/tuning.ts';
import { type Assignments, isOwn } from '../../session/assignments.ts';
import type { Prompt } from './messages.ts';

/** Something that a model is asked to do with material from strangers. */
export interface Task<Value> {
  /** The stage that the answer serves: its assignment says who is asked. */
  readonly stage: StageName;
  readonly prompt: Prompt;
  /** Our own words for the names in braces of the prompt. */
  readonly fields: Readonly<Record<string, string>>;
  /** The material, and a remark of our own on it, for a model that reads at most so many code points. */
  readonly material: (most: number) => { readonly text: string; readonly note: string };
  /** The form of the answer; what is in it remains to be checked by whoever asked. */
  readonly schema: z.ZodType<Value>;
  /** In place of the usual limit when that is longer, in milliseconds. */
  readonly timeoutMs?: number;
}

/** What goes with one question. */
export interface Asking {
  readonly signal: AbortSignal;
  readonly correlationId: string;
  readonly assignments: Assignments;
  /** How the session is tuned; without it what holds now is used. */
  readonly tuning?: Pick<Tuning, 'model'> | undefined;
}

/** A model's answer in the form that was asked for. It remains untrusted. */
interface Answered<Value> {
  readonly state: 'answered';
  readonly value: Value;
  /** The model that answered. */
  readonly model: string;
  /** Models that failed before it: those of the assignment, and one more when the gateway went elsewhere by itself. */
  readonly fallbacks: number;
  readonly durationMs: number;
}

/** A model that was asked for and gave nothing of use. */
export interface LostModel {
  readonly state: 'lost';
  readonly reason: LossReason;
}

/** There is nobody to ask: switched off, or no model behind the gateway. */
interface NoModel {
  readonly state: 'off';
}

/** The stage is assigned to our own engine: no model was asked, and none is missing. */
interface OwnEngine {
  readonly state: 'own';
}

/** An answer, a loss, nobody to ask, or nobody meant to be asked. */
export type Reply<Value> = Answered<Value> | LostModel | NoModel | OwnEngine;

/** How long answers took lately, in milliseconds. */
export interface UsualTimes {
  readonly p50: number;
  readonly p95: number;
}

/** Language models as the analysis uses them: beside its own engines, never in their place. */
export interface TextModel {
  /** Never throws, and never waits much longer than its limit. */
  ask<Value>(task: Task<Value>, asking: Asking): Promise<Reply<Value>>;
  /** Looks which model serves, so that the first question need not wait for it. */
  prepare(): Promise<void>;
  /** The model that would answer now, as far as is known without asking. */
  serving(): string | null;
  /** How long answers to a prompt took lately; undefined when there were none. */
  usualTimes(promptKey: string): UsualTimes | undefined;
  /** Code points of a text that a model reads at most. */
  readonly textLength: number;
  /** Longest time for one answer in milliseconds. */
  readonly timeoutMs: number;
}

/** The model of an installation that has switched models off. */
export const absentTextModel: TextModel = {
  ask: async ({ stage }, { assignments }) => ({ state: isOwn(assignments, stage) ? 'own' : 'off' }),
  prepare: async () => undefined,
  serving: () => null,
  usualTimes: () => undefined,
  textLength: 0,
  timeoutMs: 0,
};
