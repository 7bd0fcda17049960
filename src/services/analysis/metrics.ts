import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** How a component ended. */
export type ComponentEnd = 'ran' | 'skipped' | 'lost' | 'failed';

/** The statuses in which a session ends. */
export type EndStatus = 'completed' | 'failed' | 'canceled';

/** The metrics of the analysis service. Label values are bounded: parts, states and codes, never people, addresses or sessions. */
export interface AnalysisMetrics {
  /** Counts the first opinion of a person on a part of a session, or on an item of it. */
  feedback(part: string, agree: boolean): void;
  /** Counts one run of a component; `fallbacks` is how many models failed before the one that answered. */
  component(component: string, end: ComponentEnd, seconds: number, fallbacks: number): void;
  /** Counts a dependency that was lost in a session. */
  degraded(dependency: string, reason: string): void;
  /** Counts a session that came to an end; the risk level is null where it has no verdict. */
  ended(status: EndStatus, riskLevel: string | null): void;
  /** Counts the time that a message waited in its queue before it was delivered first. */
  waited(queue: string, seconds: number): void;
  /** Adds gauges whose values are read when they are collected. */
  watch(live: GaugeReaders): void;
}

/** What waits in one queue. */
interface QueueState {
  readonly depth: number;
  readonly oldest_age_ms: number | null;
  readonly in_flight: number;
}

/** What is read when metrics are collected. Readings that fail leave their gauges empty. */
export interface GaugeReaders {
  readonly queues: () => Promise<Readonly<Record<string, QueueState>>>;
  /** Sessions that have not ended, by status. */
  readonly openSessions: () => Promise<Readonly<Record<string, number>>>;
}

/** Seconds; from an engine of our own on a short text to the longest run of a component. */
const COMPONENT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

/** Seconds; from a queue that is empty to a backlog of an hour. */
const WAIT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

/** A gauge of several values that are read together when it is collected. */
function liveGauge<Label extends string>(
  registry: Registry,
  { name, help, label }: { name: string; help: string; label: Label },
  read: () => Promise<readonly (readonly [string, number])[]>,
): void {
  new Gauge<string>({
    name: `limpede_analysis_${name}`,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      // A gauge that cannot be read is left out; the others stay, since metrics matter most during an outage.
      const values = await read().catch(() => []);
      this.reset();
      for (const [value, count] of values) this.set({ [label]: value }, count);
    },
  });
}

function watch(registry: Registry, { queues, openSessions }: GaugeReaders): void {
  const queueGauge = (name: string, help: string, reading: (state: QueueState) => number) =>
    liveGauge(registry, { name, help, label: 'queue' }, async () =>
      Object.entries(await queues()).map(([queue, state]) => [queue, reading(state)] as const),
    );
  queueGauge('queue_depth', 'Messages that wait, by queue.', ({ depth }) => depth);
  queueGauge('queue_in_flight', 'Messages that are worked on, by queue.', ({ in_flight }) => in_flight);
  queueGauge(
    'queue_oldest_seconds',
    'Age of the oldest message that waits, by queue; 0 when none does or the broker does not tell.',
    ({ oldest_age_ms }) => (oldest_age_ms ?? 0) / 1000,
  );
  const open = { name: 'open_sessions', help: 'Sessions that have not ended, by status.', label: 'status' };
  liveGauge(registry, open, async () => Object.entries(await openSessions()));
}

/** Registers the metrics in the registry of the process. */
export function createAnalysisMetrics(registry: Registry): AnalysisMetrics {
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `limpede_analysis_${name}`, help, labelNames, registers: [registry] });
  const feedback = counter(
    'feedback_total',
    'Opinions of people on results, by the part of the session and whether they agree.',
    ['target', 'agree'],
  );
  const fallbacks = counter('fallbacks_total', 'Models that failed before one answered, by component.', [
    'component',
  ]);
  const degraded = counter('degraded_total', 'Dependencies that did not do their part in a session.', [
    'dependency',
    'reason',
  ]);
  const sessions = counter('sessions_total', 'Sessions that ended, by status and risk level.', [
    'status',
    'risk_level',
  ]);
  const waits = new Histogram({
    name: 'limpede_analysis_queue_wait_seconds',
    help: 'Time from the publication of a message to its first delivery, by queue.',
    labelNames: ['queue'] as const,
    buckets: WAIT_BUCKETS,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'limpede_analysis_component_seconds',
    help: 'Duration of runs of components, by component and how they ended.',
    labelNames: ['component', 'end'] as const,
    buckets: COMPONENT_BUCKETS,
    registers: [registry],
  });
  return {
    feedback: (part, agree) => feedback.inc({ target: part, agree: String(agree) }),
    component(component, end, seconds, failed) {
      durations.observe({ component, end }, seconds);
      if (failed > 0) fallbacks.inc({ component }, failed);
    },
    degraded: (dependency, reason) => degraded.inc({ dependency, reason }),
    ended: (status, riskLevel) => sessions.inc({ status, risk_level: riskLevel ?? 'none' }),
    waited: (queue, seconds) => waits.observe({ queue }, seconds),
    watch: (live) => watch(registry, live),
  };
}
