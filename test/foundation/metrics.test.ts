import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { CircuitBreaker, circuitsOf, worstState } from '../../src/foundation/breaker.ts';
import { createMetrics, registerCircuitMetrics, requestMetrics } from '../../src/foundation/metrics.ts';

describe('metrics', () => {
  it('count requests of several services in one registry', async () => {
    const registry = new Registry();
    const web = requestMetrics(registry, 'web');
    const llm = requestMetrics(registry, 'llm');
    web('fetch', 200, 0.02);
    web('fetch', 200, 0.2);
    llm('chat', 503, 40);
    const text = await registry.metrics();
    expect(text).toContain('limpede_http_requests_total{service="web",operation="fetch",status="200"} 2');
    expect(text).toContain('limpede_http_requests_total{service="llm",operation="chat",status="503"} 1');
    expect(text).toContain('limpede_http_request_duration_seconds_count{service="web",operation="fetch"} 2');
    expect(text).toMatch(/duration_seconds_bucket\{le="0.025",service="web",operation="fetch"\} 1/);
    expect(text).toMatch(/duration_seconds_bucket\{le="60",service="llm",operation="chat"\} 1/);
  });

  it('of the process are there from the start', async () => {
    const registry = createMetrics();
    const text = await registry.metrics();
    expect(text).toContain('limpede_process_resident_memory_bytes');
    expect(text).toContain('limpede_nodejs_eventloop_lag_seconds');
    registry.clear();
  });
});

describe('the states of circuits', () => {
  const rules = { requests: 1, failureShare: 0.5, openMs: 1000 };

  it('are read from the needs of each service when the metrics are', async () => {
    const registry = new Registry();
    const breaker = new CircuitBreaker(rules, () => 0);
    const circuit = { name: 'llm', state: () => breaker.state() };
    const needs = { client: { circuits: [circuit] }, list: [{ circuits: [] }], log: 'none', off: undefined };
    registerCircuitMetrics(registry, 'analysis', circuitsOf(needs));
    registerCircuitMetrics(registry, 'web', [{ name: 'searxng', state: () => 'half_open' }]);
    const read = async () => (await registry.metrics()).split('\n').filter((line) => line.includes('{'));
    expect(await read()).toEqual([
      'limpede_breaker_state{service="analysis",dependency="llm"} 0',
      'limpede_breaker_state{service="web",dependency="searxng"} 1',
    ]);
    breaker.failed('normal');
    expect(await read()).toContain('limpede_breaker_state{service="analysis",dependency="llm"} 2');
  });

  it('of several servers are told as the worst', () => {
    expect(worstState([])).toBe('closed');
    expect(worstState(['closed', 'half_open'])).toBe('half_open');
    expect(worstState(['open', 'closed', 'half_open'])).toBe('open');
  });
});
