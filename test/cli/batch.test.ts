import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BatchRunOptions, runBatch } from '../../src/cli/batch.ts';
import { openBatchRecord } from '../../src/cli/batch-record.ts';
import type { AnalysisInput } from '../../src/cli/inputs.ts';
import { packageFile } from '../../src/foundation/files.ts';
import { aiBlock } from '../services/analysis/pipeline/blocks.ts';
import { imageAnalysis } from '../services/analysis/resources/pictures.ts';

const SESSION = '0f0e0d0c-0b0a-4908-8706-050403020100';
const PICTURE: AnalysisInput = {
  name: 'photo.jpg',
  medium: packageFile('test', 'media', 'image', 'bridge-160.jpg'),
  request: { media_type: 'image', media_url: 'photo.jpg' },
};
const OPTIONS: BatchRunOptions = {
  report: undefined,
  language: 'en',
  overlay: true,
  parallel: 1,
  say: () => undefined,
};

let server: Server;
let agent: Agent;
let folder: string;
let sessions: number;
beforeEach(async () => {
  sessions = 0;
  folder = mkdtempSync(join(tmpdir(), 'limpede-batch-'));
  agent = new Agent();
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const answer = (data: object, status = 200) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ success: true, async_: true, data }));
      const { url = '' } = request;
      if (url.includes('/media/file/')) response.end('a drawing');
      else if (url.endsWith('/media/upload')) answer({ media_url: 'http://127.0.0.1/x' });
      else if (url.endsWith('/analyze-async')) {
        sessions += 1;
        answer({
          session_id: SESSION,
          status: 'running',
          queued_components: [],
          plan_type: 1,
          poll_url: '/',
          result_url: '/',
        });
      } else if (url.endsWith('/status'))
        answer({ status: 'completed', progress: 1, stage: null, completed_components: [] });
      else if (url.includes('/results/'))
        answer({
          status: 'completed',
          risk_score: 70,
          risk_category: 'inconclusive',
          confidence: 0.3,
          verdict: { components_used: ['ai_tampered'] },
          ai_tampered: aiBlock(70, { image_analysis: imageAnalysis() }),
          recording: null,
        });
      else answer({}, 404);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await agent.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const batch = (over: Partial<BatchRunOptions> = {}) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { ...OPTIONS, ...over };
  return runBatch({ url, token: 't', agent }, [PICTURE], openBatchRecord(folder), options);
};
const drawings = () => readdirSync(folder).filter((name) => name.endsWith('.copy_move.png'));

it('writes what was drawn beside the results of a folder, where it was asked for', async () => {
  await batch({ overlay: false });
  expect(drawings()).toEqual([]);
  const [result] = await batch();
  const [drawing = ''] = drawings();
  expect(drawing).toMatch(/^photo-jpg-\w+\.copy_move\.png$/);
  expect(readFileSync(join(folder, drawing), 'utf8')).toBe('a drawing');
  expect(result?.files).toEqual([expect.stringMatching(/^photo-jpg-\w+\.json$/), drawing]);
});

it('does so once, and again where a drawing was lost', async () => {
  await batch();
  expect((await batch())[0]?.earlier).toBe(true);
  expect((await batch({ overlay: false }))[0]?.earlier).toBe(true);
  expect(sessions).toBe(1);
  const [drawing = ''] = drawings();
  unlinkSync(join(folder, drawing));
  expect((await batch())[0]?.earlier).toBe(false);
  expect([sessions, existsSync(join(folder, drawing))]).toEqual([2, true]);
});
