import type { z } from 'zod';
import type { LossReason } from '../../../../foundation/client.ts';
import type { StageName } from '../../resources/stage.ts';
import type { Tuning } from '../../resources/tuning.ts';
import { type Assignments, isOwn } from '../../session/assignments.ts';
import type { Prompt } from './messages.ts';

/** A task for a model on untrusted material. */
export interface Task<Value> {
  /** The stage that uses the answer: its assignment selects the models. */
  readonly stage: StageName;
  readonly prompt: Prompt;
  /** Our own words for the names in braces of the prompt. */
  readonly fields: Readonly<Record<string, string>>;
  /** The material, and a remark of our own on it, for a model that reads at most so many code points. */
  readonly material: (most: number) => { readonly text: string; readonly note: string };
  /** The schema of the answer; the caller checks its content. */
  readonly schema: z.ZodType<Value>;
  /** In place of the usual limit when that is longer, in milliseconds. */
  readonly timeoutMs?: number;
}

/** Options of one call. */
export interface AskOptions {
  readonly signal: AbortSignal;
  readonly correlationId: string;
  readonly assignments: Assignments;
  /** The settings of the session; without them the current ones. */
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

/** No model gave a usable answer. */
export interface LostModel {
  readonly state: 'lost';
  readonly reason: LossReason;
}

/** No model is available: switched off, or none behind the gateway. */
interface NoModel {
  readonly state: 'off';
}

/** The stage is assigned to our own engine: no model was asked, and none is missing. */
interface OwnEngine {
  readonly state: 'own';
}

/** Result of a task: an answer, a loss, no model available, or a stage of our own engine. */
export type TaskReply<Value> = Answered<Value> | LostModel | NoModel | OwnEngine;

/** How long answers took lately, in milliseconds. */
export interface TypicalAnswerTimes {
  readonly p50: number;
  readonly p95: number;
}

/** Language models as the analysis uses them: beside its own engines, never in their place. */
export interface TextModel {
  /** Failures are part of the reply; it never waits much longer than its limit. */
  ask<Value>(task: Task<Value>, asking: AskOptions): Promise<TaskReply<Value>>;
  /** Finds the serving model beforehand, so that the first task need not wait for it. */
  prepare(): Promise<void>;
  /** The model that would answer now, as far as is known without asking. */
  serving(): string | null;
  /** How long answers to a prompt took lately; undefined when there were none. */
  usualTimes(promptKey: string): TypicalAnswerTimes | undefined;
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
