import { storableText } from '../../../../foundation/database/storable.ts';
import { TEXT_LENGTH } from '../../resources/analyze-request.ts';
import { codePointLength } from '../intake.ts';
import { firstCodePoints } from './page.ts';
import type { Preparation } from './preparation.ts';

/** Joins lines: a line break is kept only at an empty line or after the end of a sentence; others come from the width of the picture. */
const unwrapped = (text: string) => text.replace(/(?<![.!?…:\n])\n(?!\n)/gu, ' ');

/** Reads the text in a picture: it is what the text engines analyse, and what offsets count in. */
export const recognition: Preparation = {
  makes: ['text', 'recognised_text'],
  outside: {
    stage: 'recognition',
    timeoutMs: 40_000,
    loss: { dependency: 'extractors', effect: 'part_missing' },
    lost: { code: 'picture_text_lost', values: {} },
    failed: { code: 'picture_text_lost', values: {} },
  },
  run: async (material, { readPictureText }, run) => {
    const stored = material.parts.image?.stored;
    if (stored === undefined) return material;
    const outcome = await readPictureText(stored.media_id, run);
    if ('lost' in outcome) return outcome;
    if ('refused' in outcome) return { ...material, missing: { ...material.missing, text: outcome.refused } };
    const text = firstCodePoints(unwrapped(storableText(outcome.text)), TEXT_LENGTH.max);
    if (codePointLength(text.trim()) < TEXT_LENGTH.min)
      return {
        ...material,
        missing: { ...material.missing, text: { code: 'no_text_in_picture', values: {} } },
      };
    const read = { text, language: 'und' };
    return { ...material, parts: { ...material.parts, text: read, recognised_text: read } };
  },
};
