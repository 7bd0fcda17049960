import { describe, expect, it } from 'vitest';
import type { ContentOutcome } from '../../../../../src/services/analysis/dependencies/extractors.ts';
import type { VisionAssessment } from '../../../../../src/services/analysis/dependencies/vision.ts';
import {
  recognisedContent,
  sensitiveOf,
} from '../../../../../src/services/analysis/engines/ai-image/content.ts';

const content = (nudity: number): ContentOutcome => ({
  content: {
    ...{ request_id: '', media_type: 'image', mime_type: 'image/png', size_bytes: 1, sha256: '' },
    ...{ width: 200, height: 100, engines: [], degraded: [], detection_time_ms: 1, nudity },
    faces: [{ score: 0.9, box: { x: 0, y: 0, width: 10, height: 10 } }],
    objects: [
      {
        label: 'dog',
        name: { en: 'dog', ro: 'câine' },
        score: 0.8,
        box: { x: -2, y: 50, width: 100, height: 50 },
      },
    ],
  },
});
const view = (nudity: number | null, gore: number | null): VisionAssessment => ({
  ...{ model: 'm', description: '', reasons: [], generated: 0, altered: 0 },
  nudity,
  gore,
});

describe('what people are warned of', () => {
  it.each<[string, ContentOutcome, VisionAssessment | undefined, object]>([
    [
      'nobody looked',
      undefined,
      undefined,
      { nudity: null, gore: null, blur_first: true, code: 'sensitive_not_measured' },
    ],
    [
      'nothing is installed that looks',
      { missing: 'not_installed' },
      undefined,
      { nudity: null, gore: null, blur_first: true, code: 'sensitive_not_installed' },
    ],
    [
      'little nudity, violence unknown',
      content(0.1),
      undefined,
      { nudity: 0.1, gore: null, blur_first: false, code: 'sensitive_violence_unknown' },
    ],
    ['nudity', content(0.5), undefined, { nudity: 0.5, blur_first: true }],
    ['the higher of two', content(0.1), view(0.7, 0), { nudity: 0.7, gore: 0, blur_first: true, code: null }],
    ['violence', content(0.1), view(null, 0.9), { nudity: 0.1, gore: 0.9, blur_first: true, code: null }],
    [
      'violence alone looked for',
      undefined,
      view(null, 0.1),
      { gore: 0.1, blur_first: false, code: 'sensitive_nudity_unknown' },
    ],
  ])('%s', (_name, shown, seen, expected) => {
    expect(sensitiveOf(shown, seen)).toMatchObject(expected);
  });
});

describe('what a picture shows', () => {
  it('is kept with places in fractions of it', () => {
    expect(recognisedContent(content(0))).toEqual({
      faces: 1,
      objects: [
        { name: { en: 'dog', ro: 'câine' }, score: 0.8, where: { x: 0, y: 0.5, width: 0.5, height: 0.5 } },
      ],
    });
  });

  it('is null where nobody looked', () => {
    expect(recognisedContent(undefined)).toBeNull();
  });
});
