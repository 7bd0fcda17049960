import { COMPONENT_TIMEOUT_MS } from './component-blocks.ts';
import type { ComponentName } from './component-name.ts';

/** The values that decide how the steps of a session work. A session keeps those of the moment at which it was accepted. */
export interface Tuning {
  /** Longest run of each component, in milliseconds. */
  readonly timeoutMs: Readonly<Record<ComponentName, number>>;
  /** Weight from which a technique is listed; above 0, only passages that count in manipulation_score are. */
  readonly leastConfidence: number;
  /** Probabilities from which, with evidence of grade A or B, the verdicts on machine making are given. */
  readonly aiVerdictFrom: { readonly strong: number; readonly likely: number };
  /** Claims kept of one text. */
  readonly mostClaims: number;
  /** Claims of one text for which evidence is looked for, the most check-worthy ones. */
  readonly mostSearched: number;
  /** Longest wait for one answer of a text model, in milliseconds, and the code points that it reads at most. */
  readonly model: { readonly timeoutMs: number; readonly textLength: number };
}

/** The defaults; those of text models are settings. */
export const SHIPPED_TUNING: Omit<Tuning, 'model'> = {
  timeoutMs: COMPONENT_TIMEOUT_MS,
  leastConfidence: 0,
  aiVerdictFrom: { strong: 0.8, likely: 0.6 },
  mostClaims: 50,
  mostSearched: 6,
};
