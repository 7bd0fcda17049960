import taxonomy from '../../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import { clamp, roundTo } from '../../../../foundation/numbers.ts';
import type { VisionView } from '../../dependencies/vision.ts';
import type { IndicatorItem } from '../../resources/ai-tampered-result.ts';
import type { ImageAnalysis } from '../../resources/image-analysis.ts';
import type { Trace } from './fusion.ts';

/** What the word of a model that nobody has calibrated may weigh, in nats (docs/decisions/0060). */
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

/** The traces in what a vision model says: weak ones, which alone decide nothing. */
export function visionTraces(view: VisionView | undefined): Trace[] {
  if (view === undefined) return [];
  return PARTS.flatMap((name) => {
    const value = weightOf(view[name]);
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
export function visionIndicators(view: VisionView | undefined, durationMs: number): IndicatorItem[] {
  if (view === undefined || row === undefined) return [];
  const { model, reasons } = view;
  const said = reasons.join(' ');
  return PARTS.filter((name) => view[name] >= SUSPECTS).map((name) => {
    const percent = Math.round(100 * view[name]);
    const { en, ro } = WORDS[name];
    return {
      category: row.category,
      code: row.code,
      strength: row.strength,
      confidence: roundTo(view[name], 4),
      where: null,
      dependency: 'vision',
      raw_score: view[name],
      cautions: [{ en: row.caution_en ?? '', ro: row.caution_ro ?? '' }],
      explanation_en: `${row.name_en}: ${percent} of 100 for a picture ${en}.${said === '' ? '' : ` It says: ${said}`}`,
      explanation_ro: `${row.name_ro}: ${percent} din 100 pentru o imagine ${ro}.${said === '' ? '' : ` Spune (în engleză): ${said}`}`,
      engine: { model, version: 'external', duration_ms: durationMs },
    };
  });
}

/** The view as the record keeps it. */
export function shownView(view: VisionView | undefined): ImageAnalysis['vision'] {
  if (view === undefined) return null;
  const { model, description, generated, altered, reasons } = view;
  return { model, description, generated, altered, reasons: [...reasons] };
}
