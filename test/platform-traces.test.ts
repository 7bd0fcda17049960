import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../src/foundation/client.ts';
import { createLog } from '../src/foundation/log.ts';
import { isTracingEnabled, startTracing, traceHeaders, withSpan } from '../src/foundation/tracing/tracing.ts';
import { analysis } from '../src/services/analysis/contract.ts';
import { PATIENCE_MS } from './patience.ts';
import { freePorts, runHere } from './running-platform.ts';

const TEXT =
  'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share before it is deleted!';

/** The fields of an OTLP export that are looked at (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({
        attributes: z.array(z.object({ key: z.string(), value: z.looseObject({}) })),
      }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string().regex(/^[0-9a-f]{32}$/),
              spanId: z.string().regex(/^[0-9a-f]{16}$/),
              parentSpanId: z.string().optional(),
              name: z.string(),
              kind: z.int(),
              status: z.looseObject({ code: z.int() }),
            }),
          ),
        }),
      ),
    }),
  ),
});
type Span = z.infer<typeof exported>['resourceSpans'][number]['scopeSpans'][number]['spans'][number];

/** A collector that keeps what it gets. */
async function startCollector() {
  const bodies: string[] = [];
  const keys = new Set<unknown>();
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      keys.add(request.headers['x-key']);
      if (request.url === '/v1/traces') bodies.push(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const spans = () =>
    bodies.flatMap((body) =>
      exported
        .parse(JSON.parse(body))
        .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, bodies, keys, spans, close: () => server.close() };
}

const OFF = { LLM_URL: 'none', WEB_URL: 'none', DOMAIN_CHECK_URL: 'none' };

describe('an analysis through the queues', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let spans: Span[];
  beforeAll(async () => {
    collector = await startCollector();
    const platform = await runHere({
      ...OFF,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret',
      OTEL_SERVICE_NAME: 'newsroom',
    });
    const token = await platform.token({ user: 'ana' });
    const client = createClient(analysis, {
      name: 'platform',
      url: platform.outside,
      token,
      timeoutMs: PATIENCE_MS,
    });
    const accepted = await withSpan(
      () => ({ name: 'the caller' }),
      () => client.analyzeAsync({ body: { media_type: 'text', text: TEXT }, headers: {} }),
    );
    const sessionId = (accepted as { data: { session_id: string } }).data.session_id;
    expect((await platform.final(sessionId, token)).status).toBe(200);
    await client.close();
    await platform.ask('/health', { inside: true });
    const llm = `http://127.0.0.1:${platform.environment.LLM_PORT}/v1/chat/completions`;
    await (
      await fetch(llm, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    ).text();
    // What is left is sent when it stops.
    await platform.stop();
    spans = collector.spans();
  });
  afterAll(() => collector.close());

  const named = (name: string) => spans.filter((span) => span.name === name);
  const wayUp = (span: Span): string[] => {
    const above = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return above === undefined ? [span.name] : [span.name, ...wayUp(above)];
  };

  it('is one trace, from the caller through the gateway and the queues to the verdict', () => {
    const [caller] = named('the caller');
    const [verdict] = named('step verdict');
    if (caller === undefined || verdict === undefined) throw new Error('spans are missing');
    expect(verdict.traceId).toBe(caller.traceId);
    const path = '/api/v3/pipeline/analyze-async';
    const up = wayUp(verdict);
    expect(up.slice(0, 3)).toEqual(['step verdict', 'process analysis.verdict', 'process analysis.results']);
    expect(up[3]).toMatch(/^process analysis\.(techniques|claims|ai_tampered)$/);
    expect(up.slice(4)).toEqual([
      `POST ${path}`,
      'POST analysis',
      expect.stringMatching(/^POST \/agent-v3/),
      `POST ${path}`,
      'the caller',
    ]);
  });

  it('has a span for each step, within the message that brought it', () => {
    for (const component of ['techniques', 'ai_tampered', 'claims']) {
      const [step] = named(`step ${component}`);
      expect(step && wayUp(step)[1]).toBe(`process analysis.${component}`);
    }
  });

  it('knows the requests that are answered on bare HTTP', () => {
    expect(named('POST /v1/chat/completions')).toHaveLength(1);
  });

  it('tells the kinds of spans as the standard numbers them', () => {
    expect(named('the caller')[0]?.kind).toBe(1);
    expect(
      named('POST /api/v3/pipeline/analyze-async')
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual([2, 3]);
    expect(named('process analysis.verdict')[0]?.kind).toBe(5);
  });

  it('carries nothing of people or texts, and no trace of those who ask for health', () => {
    const all = collector.bodies.join('\n');
    expect(/HIDING|"ana"|Bearer/.exec(all)).toBeNull();
    expect(spans.filter(({ name }) => /health|ready|metrics/.test(name))).toEqual([]);
  });

  it('goes to the collector with the headers of the settings, under the name of the installation', () => {
    expect([...collector.keys]).toEqual(['secret']);
    const names = collector.bodies.flatMap((body) =>
      exported.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource }) => resource.attributes),
    );
    expect(names).toContainEqual({ key: 'service.name', value: { stringValue: 'newsroom' } });
  });
});

describe('without a collector', () => {
  it('no trace is made where none is named', async () => {
    expect(isTracingEnabled()).toBe(false);
    const headers = await withSpan(
      () => {
        throw new Error('nobody asks for the facts of a span');
      },
      async () => traceHeaders(),
    );
    expect(headers).toEqual({});
  });

  it('that is named and away, analyses go on and a stop is not held up', async () => {
    const [port] = await freePorts(1);
    const platform = await runHere({ ...OFF, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    const token = await platform.token({ user: 'ana' });
    const body = { media_type: 'text', text: TEXT };
    const answer = await platform.ask('/api/v3/pipeline/analyze', { token, body });
    expect(answer.body.data.status).toBe('completed');
    await platform.stop();
    expect(isTracingEnabled()).toBe(false);
  });
});

describe('a share of traces', () => {
  it('is chosen by the id alone: no caller can wish for one', async () => {
    const collector = await startCollector();
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: [],
      OTEL_SERVICE_NAME: 'limpede',
      OTEL_TRACES_SAMPLER_ARG: 0,
    };
    const end = await startTracing(settings, '0', createLog({ level: 'silent', name: 'test' }));
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    const headers = await withSpan(
      () => ({ name: 'wished for', kind: 'server', from: { traceparent } }),
      async () => traceHeaders(),
    );
    expect(headers.traceparent).toMatch(new RegExp(`^00-${'ab'.repeat(16)}-[0-9a-f]{16}-00$`));
    await end();
    expect(collector.bodies).toEqual([]);
    collector.close();
  });
});
