import type { TokenRange } from './tokens.ts';

/** Codes that this engine can report: the core codes of the taxonomy. */
export type TechniqueCode = string;

/** A passage that may show a technique. */
export interface Candidate extends TokenRange {
  readonly code: TechniqueCode;
  readonly sentence: number;
  /** The token that gave it away; a passage may be wider than the words that a rule matched. */
  readonly anchor: number;
  /** 0 to 1. */
  readonly confidence: number;
  /** A hint is a feature of the trained stages and no candidate by itself. */
  readonly origin: 'rule' | 'hint' | 'model' | 'repetition';
}
