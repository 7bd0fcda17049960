import { roundTo } from '../../../../foundation/numbers.ts';
import { logit, sigmoid } from '../../../../text/logistic.ts';
import type { PictureFusion } from '../../resources/image-analysis.ts';

/** What a trace indicates: that a model made the picture, that it was edited, or both alike. */
export type TraceTarget = 'generated' | 'manipulated' | 'both';

/** One trace with its weight of evidence in nats; a declaration of the file also sets a least probability. */
export interface Trace {
  /** Traces of one family show the same thing: only the strongest counts. */
  readonly group: string;
  readonly part: TraceTarget;
  readonly detector: string;
  readonly weight: { readonly value: number; readonly low: number; readonly high: number };
  readonly atLeast: number | null;
  /** A: signature or metadata, B: one strong trace, C: weak ones. */
  readonly grade: 'A' | 'B' | 'C';
}

/** The probability of a picture, and how it was computed. */
export interface FusionResult extends PictureFusion {
  /** 0 to 1. */
  readonly probability: number;
  readonly grade: 'A' | 'B' | 'C' | 'D';
}

/** Of pictures that people submit, before anything is known: a starting value, to be fitted on what reviewers decide. */
const PRIORS = { generated: 0.1, manipulated: 0.1 } as const;
const PLACES = 4;
/** The order of evidence; without any there is nothing to grade. */
const GRADES = ['A', 'B', 'C'] as const;

/** The strongest trace of each group. */
function strongest(traces: readonly Trace[]): Trace[] {
  const byGroup = new Map<string, Trace>();
  const strength = ({ weight, atLeast }: Trace) => (atLeast ?? 0) * 100 + Math.abs(weight.value);
  for (const trace of traces) {
    const known = byGroup.get(trace.group);
    if (known === undefined || strength(trace) > strength(known)) byGroup.set(trace.group, trace);
  }
  return [...byGroup.values()];
}

/** The probability of one part at the given bound of every trace. */
function probabilityOf(
  traces: readonly Trace[],
  part: 'generated' | 'manipulated',
  bound: 'value' | 'low' | 'high',
): number {
  const own = traces.filter((trace) => trace.part === part || trace.part === 'both');
  const sum = own.reduce((total, { weight }) => total + weight[bound], logit(PRIORS[part]));
  return Math.max(sigmoid(sum), ...own.map(({ atLeast }) => atLeast ?? 0));
}

const either = (one: number, other: number) => 1 - (1 - one) * (1 - other);

/** Joins traces into the probability that a picture was made by a model or changed. */
export function combineTraces(all: readonly Trace[]): FusionResult {
  const traces = strongest(all);
  const at = (bound: 'value' | 'low' | 'high') =>
    either(probabilityOf(traces, 'generated', bound), probabilityOf(traces, 'manipulated', bound));
  const percent = (share: number) => roundTo(100 * share, 2);
  return {
    probability: at('value'),
    grade: GRADES.find((grade) => traces.some((trace) => trace.grade === grade)) ?? 'D',
    priors: { ...PRIORS },
    p_generated: roundTo(probabilityOf(traces, 'generated', 'value'), PLACES),
    p_manipulated: roundTo(probabilityOf(traces, 'manipulated', 'value'), PLACES),
    range: [percent(at('low')), percent(at('high'))],
    groups: traces.map(({ group, part, detector, weight, atLeast }) => ({
      group,
      part,
      detector,
      ...weight,
      at_least: atLeast,
    })),
  };
}
