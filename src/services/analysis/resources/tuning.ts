import type { ComponentName } from './component-name.ts';

/** What decides how the steps of a session work. A session keeps that of the moment in which it was accepted. */
export interface Tuning {
  /** Longest run of each component, in milliseconds. */
  readonly timeoutMs: Readonly<Record<ComponentName, number>>;
  /** Confidence from which a technique is reported. */
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

/** The numbers that come with the product; those of text models are settings. */
export const SHIPPED_TUNING: Omit<Tuning, 'model'> = {
  // With the making of the material they fit into the 45 s of a direct answer.
  timeoutMs: { techniques: 20_000, ai_tampered: 20_000, claims: 20_000, domain: 10_000 },
  leastConfidence: 0.5,
  aiVerdictFrom: { strong: 0.8, likely: 0.6 },
  mostClaims: 50,
  mostSearched: 6,
};
