import { describe, expect, it } from 'vitest';
import type { TextOutcome } from '../../../../../src/services/analysis/dependencies/extractors.ts';
import { makeMaterial } from '../../../../../src/services/analysis/pipeline/material.ts';
import { NO_MEDIA, storedMedia, submissionOf } from '../../harness.ts';

const MEDIUM = storedMedia();
const MEME = 'ÎȚI ASCUND ADEVĂRUL!\nDistribuie acum.';

const materialOf = (read: TextOutcome, more: object = {}) =>
  makeMaterial(
    submissionOf({ mediaType: 'image', text: null, mediaUrl: 'http://x/a', mediaId: 'm', ...more }),
    {
      ...NO_MEDIA,
      findMedia: async () => MEDIUM,
      readPictureText: async () => read,
      fetchPage: () => Promise.reject(new Error('no page')),
      identify: () => 'ro',
    },
    { signal: new AbortController().signal, correlationId: 'c', account: 'clients/ana' },
  );

describe('the text in a picture', () => {
  it('is a text like any other', async () => {
    const { material, degraded } = await materialOf({ text: MEME });
    expect(material.parts).toMatchObject({
      text: { text: MEME, language: 'ro' },
      recognised_text: { text: MEME },
      image: { stored: { media_id: 'm' } },
    });
    expect(degraded).toEqual([]);
  });

  it('is one sentence over the lines that the picture has room for', async () => {
    const { material } = await materialOf({ text: 'THEY HIDE\nTHE TRUTH!\nShare now\n\nLast line\nof two' });
    expect(material.parts.text?.text).toBe('THEY HIDE THE TRUTH!\nShare now\n\nLast line of two');
  });

  it.each<[string, TextOutcome, string]>([
    ['is too short', { text: 'STOP' }, 'no_text_in_picture'],
    ['is not read by anybody', { refused: { code: 'extractors_off', values: {} } }, 'extractors_off'],
    ['was lost', { lost: 'timeout' }, 'picture_text_lost'],
  ])('that %s is missing with its reason', async (_name, outcome, code) => {
    const { material, degraded } = await materialOf(outcome);
    expect(material.parts.text).toBeUndefined();
    expect(material.missing.text?.code).toBe(code);
    expect(degraded).toEqual(
      'lost' in outcome ? [{ dependency: 'extractors', reason: 'timeout', effect: 'part_missing' }] : [],
    );
  });

  it('is not read in a quick look', async () => {
    const { material } = await materialOf({ text: MEME }, { quick: true });
    expect(material.parts).toMatchObject({ image: { stored: { media_id: 'm' } } });
    expect(material.parts.text).toBeUndefined();
  });
});
