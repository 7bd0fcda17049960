import { Counter, type Registry } from 'prom-client';

/** The metrics of the analysis service. Labels are bounded: parts, states and codes, never people, addresses or sessions. */
export interface AnalysisMetrics {
  /** Counts the first opinion of a person on a part of a session, or on an item of it. */
  feedback(part: string, agree: boolean): void;
}

/** Registers the metrics in the registry of the process. */
export function createAnalysisMetrics(registry: Registry): AnalysisMetrics {
  const feedback = new Counter({
    name: 'limpede_analysis_feedback_total',
    help: 'Opinions of people on results, by the part of the session and whether they agree.',
    labelNames: ['target', 'agree'] as const,
    registers: [registry],
  });
  return {
    feedback: (part, agree) => feedback.inc({ target: part, agree: String(agree) }),
  };
}
