import type { Components, RunComponent } from '../components/component.ts';
import type { AnalysisMetrics, ComponentEnd } from '../metrics.ts';
import type { Degradation } from '../reasons.ts';
import type { MakeVerdict, StepRunners } from './run.ts';

type Observed = Pick<AnalysisMetrics, 'component' | 'degraded'>;

function endOf(answer: Awaited<ReturnType<RunComponent>>): ComponentEnd {
  if ('skipped' in answer) return 'skipped';
  return 'lost' in answer ? 'lost' : 'ran';
}

/** A component whose runs are counted; one that throws, overruns its time or is canceled counts as failed. */
function observeComponent(name: string, run: RunComponent, metrics: Observed): RunComponent {
  return async (material, context) => {
    const started = performance.now();
    const count = (end: ComponentEnd, fallbacks: number) =>
      metrics.component(name, end, (performance.now() - started) / 1000, fallbacks);
    try {
      const answer = await run(material, context);
      count(endOf(answer), 'fallbacks' in answer ? answer.fallbacks : 0);
      return answer;
    } catch (error) {
      count('failed', 0);
      throw error;
    }
  };
}

function observeVerdictMaker(makeVerdict: MakeVerdict, metrics: Observed): MakeVerdict {
  return async (session, material, checkpoints, run, decision) => {
    const verdict = await makeVerdict(session, material, checkpoints, run, decision);
    // A correction by a person judges again, but was counted before.
    if (decision !== undefined) return verdict;
    // Several steps may have missed the same dependency: it counts once for a session.
    const losses = new Map<string, Degradation>();
    for (const loss of [...checkpoints, verdict].flatMap(({ degraded }) => degraded))
      losses.set(`${loss.dependency} ${loss.reason}`, loss);
    for (const { dependency, reason } of losses.values()) metrics.degraded(dependency, reason);
    return verdict;
  };
}

/** The same runners with metrics. */
export function observeRunners(runners: StepRunners, metrics: Observed): StepRunners {
  const components = Object.entries(runners.components).map(([name, run]) => [
    name,
    observeComponent(name, run as RunComponent, metrics),
  ]);
  return {
    ...runners,
    components: Object.fromEntries(components) as Components,
    makeVerdict: observeVerdictMaker(runners.makeVerdict, metrics),
  };
}
