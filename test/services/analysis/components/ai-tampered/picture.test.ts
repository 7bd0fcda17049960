import { expect, it } from 'vitest';
import { findingOn } from '../../../../../src/services/analysis/components/ai-tampered/picture.ts';
import type { RunContext } from '../../../../../src/services/analysis/components/component.ts';
import { untimedTask } from '../../../../../src/services/analysis/engines/text-engines.ts';
import type { PictureAnalysis } from '../../../../../src/services/forensic/contract.ts';

const run: RunContext = { ...untimedTask('ana'), correlationId: 'c', planType: 1, assignments: {} };
const ID = '7b0b1a52-3c6c-4f0c-9d64-2f1f4f2f5a10';

const analysis: PictureAnalysis = {
  ...{ request_id: ID, media_type: 'image', mime_type: 'image/jpeg', size_bytes: 10, sha256: 'a'.repeat(64) },
  ...{ width: 200, height: 100, orientation: 1, frames: 1, preview: null, detectors: [], degraded: [] },
  hash: { algorithm: 'pdq', value: '0'.repeat(64), quality: 100 },
  file: {
    ...{ jpeg: null, software: null, camera: null, taken_at: null, modified_at: null, has_maker_note: false },
    ...{ digital_source_type: null, generator: null },
  },
  examination_time_ms: 5,
};

const dog = {
  ...{ label: 'dog', name: { en: 'dog', ro: 'câine' }, score: 0.9 },
  box: { x: 0, y: 0, width: 100, height: 50 },
};

it('the finding on a picture holds what the vision model and the recognisers told', async () => {
  const { block } = await findingOn(
    { aiText: () => Promise.reject(new Error('there is no text')) },
    {
      ...{ mediaId: ID, depth: 'full', text: undefined, durationMs: 7 },
      view: {
        ...{ model: 'eyes', description: 'A dog on a beach.', generated: 0.2, altered: 0.1 },
        ...{ nudity: 0.1, gore: 0.7, reasons: [] },
      },
      findings: {
        ...{
          analysis,
          metadata: undefined,
          metadataLost: undefined,
          preview: null,
          overlays: {},
          seenBefore: null,
        },
        shown: {
          content: {
            ...{ request_id: ID, media_type: 'image', mime_type: 'image/jpeg' },
            ...{ size_bytes: 10, sha256: 'a'.repeat(64) },
            ...{ width: 200, height: 100, faces: [], nudity: 0.3, engines: [], degraded: [] },
            objects: [dog],
            detection_time_ms: 3,
          },
        },
      },
    },
    run,
  );
  expect(block.image_analysis).toMatchObject({
    vision: { model: 'eyes', description: 'A dog on a beach.' },
    shows: { faces: 0, objects: [{ name: dog.name }] },
    sensitive: { nudity: 0.3, gore: 0.7, blur_first: true },
  });
});
