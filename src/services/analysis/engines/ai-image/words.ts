import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';

/** The verdict of a part that decides nothing. */
const UNDECIDED = 'inconclusive';

/**
 * The finding on a picture together with that on the words in it: what they disclose is disclosed, and they decide where the picture
 * itself decides nothing.
 */
export function withWords(picture: AiTamperedResult, words: AiTamperedResult): AiTamperedResult {
  const items = [...picture.indicators_detected, ...words.indicators_detected];
  const decides = picture.verdict === UNDECIDED && words.verdict !== UNDECIDED ? words : picture;
  const { ai_probability, reason_code, reason, reason_ro, verdict, risk_score, evidence_grade } = decides;
  return {
    ...picture,
    ...{ ai_probability, reason_code, reason, reason_ro, verdict, risk_score, evidence_grade },
    categories_affected: [...new Set(items.map(({ category }) => category))],
    indicators_count: items.length,
    indicators_detected: items,
    disclosure_detected: picture.disclosure_detected || words.disclosure_detected,
    disclosure_explicit: picture.disclosure_explicit || words.disclosure_explicit,
    disclosure_text: picture.disclosure_text ?? words.disclosure_text,
  };
}
