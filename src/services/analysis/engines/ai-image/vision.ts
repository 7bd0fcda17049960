import taxonomy from '../../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import { clamp, roundTo } from '../../../../foundation/numbers.ts';
import type { VisionAssessment } from '../../dependencies/vision.ts';
import type { IndicatorItem } from '../../resources/ai-tampered-result.ts';
import type { ImageAnalysis } from '../../resources/image-analysis.ts';
import type { Trace } from './fusion.ts';

/** Largest weight of an uncalibrated model, in nats (docs/decisions/0060). */
const CAP = 2;
/** A score of 1 is no certainty. */
const SCORE_BOUND = 0.05;
/** From here on the model suspects rather than not. */
const SUSPECTS = 0.5;
const CODE = 'vision_model_suspicion';
const PARTS = ['generated', 'altered'] as const;

const row = taxonomy.categories
  .flatMap(({ code: category, indicators }) => indicators.map((indicator) => ({ category, ...indicator })))
  .find(({ code }) => code === CODE);

/**
 * What a score weighs. It never speaks against a trace: words in a picture may tell the model what to answer, and detectors
 * measure what no model sees.
 */
function weightOf(score: number): number {
  const bounded = clamp(score, SCORE_BOUND, 1 - SCORE_BOUND);
  return roundTo(clamp(Math.log(bounded / (1 - bounded)), 0, CAP), 4);
}

/** Traces from the assessment of a vision model: weak ones, which alone decide nothing. */
export function visionTraces(assessment: VisionAssessment | undefined): Trace[] {
  if (assessment === undefined) return [];
  return PARTS.flatMap((name) => {
    const value = weightOf(assessment[name]);
    if (value === 0) return [];
    const part = name === 'altered' ? 'manipulated' : name;
    const weight = { value, low: 0, high: CAP };
    return [{ group: `vision_${part}`, part, detector: 'vision_model', weight, atLeast: null, grade: 'C' }];
  });
}

const WORDS = {
  generated: { en: 'made by a model', ro: 'făcută de un model' },
  altered: { en: 'changed by somebody', ro: 'modificată de cineva' },
} as const;

/** An item for each thing that a vision model suspects. */
export function visionIndicators(
  assessment: VisionAssessment | undefined,
  durationMs: number,
): IndicatorItem[] {
  if (assessment === undefined || row === undefined) return [];
  const { model, reasons } = assessment;
  const quoted = reasons.join(' ');
  return PARTS.filter((name) => assessment[name] >= SUSPECTS).map((name) => {
    const percent = Math.round(100 * assessment[name]);
    const { en, ro } = WORDS[name];
    return {
      category: row.category,
      code: row.code,
      strength: row.strength,
      confidence: roundTo(assessment[name], 4),
      where: null,
      dependency: 'vision',
      raw_score: assessment[name],
      cautions: [{ en: row.caution_en ?? '', ro: row.caution_ro ?? '' }],
      explanation_en: `${row.name_en}: ${percent} of 100 for a picture ${en}.${quoted === '' ? '' : ` It says: ${quoted}`}`,
      explanation_ro: `${row.name_ro}: ${percent} din 100 pentru o imagine ${ro}.${quoted === '' ? '' : ` Spune (în engleză): ${quoted}`}`,
      engine: { model, version: 'external', duration_ms: durationMs },
    };
  });
}

/** The assessment in the form in which the session stores it. */
export function visionRecord(assessment: VisionAssessment | undefined): ImageAnalysis['vision'] {
  if (assessment === undefined) return null;
  const { model, description, generated, altered, reasons } = assessment;
  return { model, description, generated, altered, reasons: [...reasons] };
}
