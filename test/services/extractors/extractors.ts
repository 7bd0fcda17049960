import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../src/foundation/log.ts';
import { createMetrics } from '../../../src/foundation/metrics.ts';
import { buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { extractorsService } from '../../../src/services/extractors/service.ts';
import { extractorsSettings } from '../../../src/services/extractors/settings.ts';

type Needs = Parameters<typeof extractorsService.routes>[0];

/** The service with a folder of its own, and ways to ask it. */
export async function openExtractors(environment: Record<string, string> = {}, replace: Partial<Needs> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'limpede-extractors-'));
  const built = await buildService(
    extractorsService,
    parseSettings(extractorsSettings, environment),
    {
      home,
      version: '0.0.0',
      publicUrl: 'http://127.0.0.1',
      log: createLog({ level: 'silent', name: 'test' }),
      metrics: createMetrics(),
      database: () => Promise.reject(new Error('this service keeps nothing')),
    },
    replace,
  );
  const sendForm = async (operation: string, file: Uint8Array, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob([new Uint8Array(file)]), 'a.jpg');
    const request = new Request('http://localhost/', { method: 'POST', body: form });
    return built.app.inject({
      method: 'POST',
      url: `/v1/${operation}`,
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
      payload: Buffer.from(await request.arrayBuffer()),
    });
  };
  const sendJson = (operation: string, body: object) =>
    built.app.inject({ method: 'POST', url: `/v1/${operation}`, payload: body });
  const close = async () => {
    await built.close();
    await rm(home, { recursive: true, force: true });
  };
  return { home, needs: built.needs, app: built.app, sendForm, sendJson, close };
}
