import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';

/** How far one family of traces carries when no other agrees: half of what two do. */
const ONE_FAMILY = 0.5;

/** Quality of an AI finding: full with a conclusive indicator or two families of traces, half with one detector. */
export function aiQuality(block: AiTamperedResult): number {
  const telling = block.indicators_detected.filter(({ strength }) => strength !== 'weak');
  const families = new Set(telling.map(({ category }) => category));
  if (families.size >= 2 || telling.some(({ strength }) => strength === 'conclusive')) return 1;
  return block.ai_probability === null ? 0 : ONE_FAMILY;
}

/** Quality of a finding on a picture: a strong trace there counts as two families. */
export function pictureQuality(block: AiTamperedResult): number {
  if (block.evidence_grade === 'A' || block.evidence_grade === 'B') return 1;
  return aiQuality(block);
}
