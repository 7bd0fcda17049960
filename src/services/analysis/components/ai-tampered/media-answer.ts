import type { Degradation } from '../../reasons.ts';
import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';
import type { ComponentAnswer } from '../component.ts';
import { pictureQuality } from './quality.ts';

/** The component's answer for a picture or recording; `degraded` names the parts of the examination that are missing. */
export const mediaAnswer = (
  block: AiTamperedResult,
  degraded: readonly Degradation[],
): ComponentAnswer<'ai_tampered'> => ({
  block,
  reliability: degraded.length > 0 ? 'degraded' : 'planned',
  quality: pictureQuality(block),
  fallbacks: 0,
  out_of_scope: false,
  degraded: [...degraded],
});
