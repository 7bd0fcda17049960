import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDoctorChecks } from '../../src/cli/doctor.ts';
import { freePorts } from '../running-platform.ts';

const byName = async (environment: Record<string, string>) => {
  const [port] = await freePorts(1);
  const findings = await runDoctorChecks({ LIMPEDE_PORT: String(port), ...environment });
  return Object.fromEntries(findings.map(({ name, state, words }) => [name, { state, words }]));
};

describe('the doctor', () => {
  it('tells what lies in the way of media, and how to get it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'limpede-doctor-'));
    mkdirSync(join(home, 'models', 'half'), { recursive: true });
    writeFileSync(join(home, 'models', 'half', 'small-encoder.onnx'), '');
    const found = await byName({ LIMPEDE_HOME: home, SPEECH_POCKETSPHINX: 'false' });
    rmSync(home, { recursive: true });
    expect(found['Speech models']?.state).toBe('wrong');
    expect(found['Speech models']?.words).toMatch(/half lacks decoder.onnx, tokens.txt|limpede setup speech/);
    expect(found['Speech, pocketsphinx']?.words).toBe('switched off by SPEECH_POCKETSPHINX');
    const media = [
      'Recordings',
      'Sandbox',
      'Text in pictures, en',
      'ONNX runtime',
      'Speech, pocketsphinx',
      'Vision server',
    ];
    for (const name of media)
      if (found[name]?.state !== 'good') expect(found[name]?.words).toMatch(/install|setup|_URL|SPEECH_/);
  });

  it('finds what is there and what is not set', async () => {
    const found = await byName({ LIMPEDE_HOME: '/somewhere' });
    expect(found.Node).toEqual({ state: 'good', words: process.version });
    expect(found['techniques.bin']?.state).toBe('good');
    expect(found.Database?.words).toMatch(
      /embedded, in \/somewhere: survives a killed process, not a power cut/,
    );
    expect(found.Platform?.state).toBe('absent');
    expect(found['Text models, cloud']).toMatchObject({ state: 'absent' });
    expect(found['Text in pictures, ro']?.state).toBe('good');
    expect(found['Speech models']?.words).toMatch(/limpede setup speech|\/somewhere\/models/);
    expect(found['Speech server']).toMatchObject({ state: 'absent', words: expect.stringContaining('URL') });
  });

  it('tells how each service is, and what to do about what is missing', async () => {
    const bodies: Record<string, unknown> = {
      '/web/health': { status: 'healthy', checks: {} },
      '/llm/health': { status: 'unhealthy', backends: [{ name: 'gpu', healthy: false, message: 'refused' }] },
      '/analysis/health': {
        status: 'degraded',
        checks: { llm: { status: 'unhealthy', error: 'is away' }, cache: { status: 'healthy', error: null } },
      },
    };
    const server = createServer((asked, response) =>
      response.end(JSON.stringify(bodies[asked.url ?? ''] ?? 'x')),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const found = await byName({
        WEB_URL: `${url}/web`,
        LLM_URL: `${url}/llm`,
        ANALYSIS_URL: `${url}/analysis`,
        DASHBOARD_URL: 'none',
      });
      expect(found.web).toEqual({
        state: 'good',
        words: `healthy at ${url}/web; fetching and an index of your own evidence`,
      });
      const { web: searching } = await byName({ WEB_URL: `${url}/web`, WEB_SEARXNG_URL: url });
      expect(searching?.words).toMatch(/; WEB_SEARXNG_URL set; without: fetching/);
      expect(found.llm?.words).toMatch(/^unhealthy at .* \(gpu: refused\): set LLM_GPU_URL/);
      expect(found.analysis).toMatchObject({
        state: 'wrong',
        words: expect.stringContaining('(llm: is away)'),
      });
      expect(found.dashboard?.words).toBe('switched off by DASHBOARD_URL');
      expect(found.catalogue).toMatchObject({
        state: 'absent',
        words: expect.stringContaining('limpede up catalogue'),
      });
    } finally {
      server.close();
    }
  });

  it('asks the servers that are set', async () => {
    let status = 200;
    const server = createServer((_request, response) => response.writeHead(status).end('x'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [closed] = await freePorts(1);
    try {
      const state = async (address: string) => (await byName({ LLM_GPU_URL: address }))['Text models, GPU'];
      expect(await state(url)).toEqual({ state: 'good', words: `${url} answers 200` });
      status = 401;
      expect((await state(url))?.state).toBe('good');
      status = 502;
      expect((await state(url))?.state).toBe('wrong');
      expect((await state(`http://127.0.0.1:${closed}`))?.state).toBe('wrong');
      expect((await state('none'))?.state).toBe('absent');
    } finally {
      server.close();
    }
  });
});
