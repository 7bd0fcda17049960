import type { Degradation } from '../reasons.ts';
import type { SessionStatus } from '../resources/analysis-session.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { MediaType } from '../resources/media-types.ts';
import type { VerdictResult } from '../resources/verdict-result.ts';
import type { Omission } from './outcome.ts';
import type { Plan } from './plan.ts';

/** What is stored of a session beside its checkpoints. */
export interface StoredSession {
  readonly sessionId: string;
  readonly userId: string;
  /** Realm and subject: whose session it is. */
  readonly account: string;
  readonly userEmail: string | null;
  readonly inputType: MediaType;
  readonly inputText: string | null;
  readonly inputTitle: string | null;
  readonly inputUrl: string | null;
  readonly inputMediaUrl: string | null;
  readonly inputHash: string;
  readonly inputLanguage: string | null;
  readonly sourceApp: string;
  readonly status: SessionStatus;
  readonly errorCode: string | null;
  readonly plan: Plan;
  readonly revision: number;
  readonly configVersion: number;
  readonly cancelRequestedAt: Date | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly totalDurationMs: number | null;
}

/** The parts of a summary that the checkpoints decide. */
export interface Findings {
  readonly componentsRun: ComponentName[];
  readonly componentsSkipped: ComponentName[];
  readonly skipped: readonly Omission[];
  readonly degraded: readonly Degradation[];
  readonly verdict: VerdictResult | null;
  readonly topic: string | null;
}

/** The numbers of a verdict that lists show. */
export interface VerdictSummary {
  readonly risk_score: number | null;
  readonly risk_category: string | null;
  readonly risk_level: string | null;
  readonly confidence: number | null;
  readonly confidence_level: string | null;
}

/** What a list shows of a session. */
export interface ListedSession {
  readonly session: StoredSession;
  readonly findings: Omit<Findings, 'verdict'>;
  /** null while the session has no verdict. */
  readonly verdict: VerdictSummary | null;
}
