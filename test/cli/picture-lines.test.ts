import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeOverlays } from '../../src/cli/overlays.ts';
import { pictureLines } from '../../src/cli/picture-lines.ts';
import { aiBlock } from '../services/analysis/pipeline/blocks.ts';
import { detectorScore, imageAnalysis } from '../services/analysis/resources/pictures.ts';

describe('a picture on the terminal', () => {
  it('is told detector by detector, with its history and earlier looks', () => {
    expect(pictureLines(imageAnalysis(), 'en')).toEqual([
      'JPEG, 1024 × 768',
      'Copied parts: found at 31%, 25% (31% × 37%)',
      'Parts saved once in a picture saved twice: nothing found',
      'Parts on another JPEG grid: cannot say: It says so.',
      'Error level (for people): drawn for people',
      'Signed history (C2PA): Signer <A>, its checks hold',
      'You analysed this picture before, or a near copy: 1 time.',
      'A person decided on this picture on 2024-05-03.',
    ]);
    const romanian = pictureLines(imageAnalysis(), 'ro').join('\n');
    expect(romanian).toContain('Părți copiate: găsit la 31%, 25%');
    expect(romanian).toContain('Ați mai analizat o dată această imagine');
  });

  it('says nothing of a history that is absent, and of looks that were not', () => {
    const bare = imageAnalysis({ provenance: null, seen_before: null, detectors: [] });
    expect(pictureLines(bare, 'en')).toEqual(['JPEG, 1024 × 768']);
  });
});

it('writes the maps of what was found beside the picture, else the one for people', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'limpede-overlays-'));
  const server = createServer((request, response) => response.end(request.url));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const written = async (image = imageAnalysis()) => {
    const session = { ai_tampered: aiBlock(70, { image_analysis: image }) };
    const names = await writeOverlays({ url, token: 't' }, session, join(folder, 'a.photo.jpg'));
    return names.map((name) => [basename(name), readFileSync(name, 'utf8')]);
  };
  const path = '/agent-v3/api/v3/media/file/media/2026-01-01/x';
  expect(await written()).toEqual([['a.photo.copy_move.png', path]]);
  const { detectors } = imageAnalysis();
  const nothing = [detectorScore('copy_move'), ...detectors.slice(1)];
  expect(await written(imageAnalysis({ detectors: nothing }))).toEqual([['a.photo.error_level.png', path]]);
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
