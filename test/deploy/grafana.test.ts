import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packageFile } from '../../src/foundation/files.ts';
import { createMetrics, registerCircuitMetrics, requestMetrics } from '../../src/foundation/metrics.ts';
import { createAnalysisMetrics } from '../../src/services/analysis/metrics.ts';
import { GatewayMetrics } from '../../src/services/llm/completions/metrics.ts';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const dashboard: Dashboard = JSON.parse(
  readFileSync(packageFile('deploy', 'grafana', 'limpede.json'), 'utf8'),
);

/** The names under which the metrics of the product are scraped, with their labels. */
async function scraped(): Promise<Map<string, readonly string[]>> {
  const registry = createMetrics();
  requestMetrics(registry, 'gateway')('x', 200, 0.1);
  registerCircuitMetrics(registry, 'gateway', []);
  createAnalysisMetrics(registry).watch({ queues: async () => ({}), openSessions: async () => ({}) });
  new GatewayMetrics(registry, { running: () => 0, waiting: () => 0, breaker: () => undefined });
  const names = new Map<string, readonly string[]>();
  for (const metric of registry.getMetricsAsArray()) {
    const { name, labelNames = [] } = metric as unknown as { name: string; labelNames?: string[] };
    const isHistogram = 'buckets' in metric;
    for (const each of isHistogram ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name])
      names.set(each, isHistogram ? [...labelNames, 'le'] : labelNames);
  }
  return names;
}

it('the dashboard asks for metrics and labels that exist', async () => {
  const names = await scraped();
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(queries.length).toBeGreaterThan(10);
  for (const query of queries) {
    const [metric = '', ...others] = query.match(/limpede_\w+/g) ?? [];
    expect(others, query).toEqual([]);
    const labels = names.get(metric);
    expect(labels, `${metric} of ${query}`).toBeDefined();
    const grouped = /by \(([^)]+)\)/.exec(query)?.[1]?.split(', ') ?? [];
    const filtered = [...query.matchAll(/(\w+)=~?"/g)].map(([, label]) => label);
    for (const label of [...grouped, ...filtered]) expect(labels, query).toContain(label);
  }
});
