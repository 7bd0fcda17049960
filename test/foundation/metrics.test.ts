import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createMetrics, requestMetrics } from '../../src/foundation/metrics.ts';

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
