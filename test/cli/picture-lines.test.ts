import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeOverlays } from '../../src/cli/overlays.ts';
import { leadingPictureLines, pictureLines } from '../../src/cli/picture-lines.ts';
import { aiBlock, indicator } from '../services/analysis/pipeline/blocks.ts';
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
      'Nobody checked who the signer is: anybody can sign under any name.',
      'You analysed this picture before, or a near copy: 1 time.',
      'A person decided on this picture on 2024-05-03.',
    ]);
    const romanian = pictureLines(imageAnalysis(), 'ro').join('\n');
    expect(romanian).toContain('Părți copiate: găsit la 31%, 25%');
    expect(romanian).toContain('Ați mai analizat o dată această imagine');
  });

  it('names both places of a copied part', () => {
    const regions = [0.1, 0.6].map((x) => ({ x, y: 0.5, width: 0.2, height: 0.1 }));
    const lines = pictureLines(
      imageAnalysis({ detectors: [detectorScore('copy_move', { found: true, regions })] }),
      'en',
    );
    expect(lines).toContain('Copied parts: found at 10%, 50% (20% × 10%); 60%, 50% (20% × 10%)');
  });

  it.each([
    [true, 'The operator of this installation trusts the signer.'],
    [false, 'The signer is none of those that the operator of this installation trusts'],
  ])('says of a signer whether he is known: %s', (trusted, said) => {
    const { provenance } = imageAnalysis();
    const lines = pictureLines(imageAnalysis({ provenance: provenance && { ...provenance, trusted } }), 'en');
    expect(lines.join('\n')).toContain(said);
  });

  it('says nothing of a history that is absent, and of looks that were not', () => {
    const bare = imageAnalysis({ provenance: null, seen_before: null, detectors: [] });
    expect(pictureLines(bare, 'en')).toEqual(['JPEG, 1024 × 768']);
  });
});

describe('a picture of a page on the terminal', () => {
  const url = 'https://example.org/a.jpg';
  const told = (over: Parameters<typeof aiBlock>[1]) =>
    leadingPictureLines(
      { url, not_looked_at: null, recognised_text: null, finding: aiBlock(null, over) },
      'en',
    );

  it('is told by what its file says and what was found, or that nothing was', () => {
    expect(told({})).toEqual([url, '  looked at, nothing decisive found']);
    expect(
      told({ disclosure_text: 'Firefly', indicators_detected: [indicator('image_forensic', 'strong')] }),
    ).toEqual([url, '  says of itself: Firefly', '  A trace.']);
    expect(told({ image_analysis: imageAnalysis() })).toContain(
      '  A person decided on this picture on 2024-05-03.',
    );
  });

  it('is told with the reason where it was not looked at', () => {
    const not_looked_at = {
      code: 'page_picture_too_small',
      reason: 'Too small.',
      reason_ro: 'Prea mică.',
    } as const;
    const unseen = { url, not_looked_at, recognised_text: null, finding: null };
    expect(leadingPictureLines(unseen, 'ro')).toEqual([url, '  Prea mică.']);
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
