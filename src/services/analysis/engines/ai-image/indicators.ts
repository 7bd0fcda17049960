import { roundTo } from '../../../../foundation/numbers.ts';
import type { DetectorResult, PictureAnalysis } from '../../../forensic/contract.ts';
import type { IndicatorItem } from '../../resources/ai-tampered-result.ts';
import type { Engine } from '../../resources/finding.ts';
import type { PictureProvenance } from '../../resources/image-analysis.ts';
import { indicatorItem, taxonomyIndicators } from './indicator-taxonomy.ts';
import { provenanceSign, provenanceWords } from './provenance.ts';

const known = new Map(
  taxonomyIndicators.filter(({ kind }) => kind === 'image').map((indicator) => [indicator.code, indicator]),
);

/** What a detector that found something is called in the taxonomy, and how sure it is by the rates of its card. */
const NAMES = {
  double_quantisation: { code: 'compression_history_conflict', confidence: 0.9 },
  copy_move: { code: 'copy_move_region', confidence: 0.9 },
  jpeg_grid: { code: 'jpeg_grid_conflict', confidence: 0.85 },
  file_history: { code: 'file_history_oddity', confidence: 0.3 },
} as const satisfies Readonly<Record<string, { code: string; confidence: number }>>;
/** Confidence of what the file declares of itself, which can be forged. */
const DECLARATION_CONFIDENCE = 0.93;

function nameOf({ detector }: DetectorResult, { file }: Pick<PictureAnalysis, 'file'>) {
  if (detector === 'generator_metadata') {
    const code = file.generator === null ? 'iptc_source_type_synthetic' : 'generator_metadata';
    return { code, confidence: DECLARATION_CONFIDENCE };
  }
  return detector in NAMES ? NAMES[detector as keyof typeof NAMES] : undefined;
}

/** Regions in fractions of the picture, the largest first. */
export function relativeRegions(
  { regions }: Pick<DetectorResult, 'regions'>,
  { width, height }: Pick<PictureAnalysis, 'width' | 'height'>,
) {
  const inside = (share: number) => roundTo(Math.min(1, Math.max(0, share)), 4);
  return regions
    .map((region) => ({
      x: inside(region.x / width),
      y: inside(region.y / height),
      width: inside(region.width / width),
      height: inside(region.height / height),
    }))
    .sort((one, other) => other.width * other.height - one.width * one.height);
}

/** An item for each detector that found something. */
export function pictureIndicators(analysis: PictureAnalysis, engine: Engine): IndicatorItem[] {
  return analysis.detectors.flatMap((result) => {
    const name = result.found === true ? nameOf(result, analysis) : undefined;
    const row = name === undefined ? undefined : known.get(name.code);
    if (name === undefined || row === undefined) return [];
    const [where = null] = relativeRegions(result, analysis);
    const { score: raw_score, cannot_see, explanation } = result;
    const { confidence } = name;
    const cautions = [cannot_see];
    const finding = { confidence, where, dependency: 'forensic', raw_score, cautions, explanation };
    return [indicatorItem(row, finding, engine)];
  });
}

/** The item for a signed history that declares a model, a camera or a change; none otherwise. */
export function provenanceIndicator(provenance: PictureProvenance | null, engine: Engine): IndicatorItem[] {
  const sign = provenanceSign(provenance);
  const row = sign === undefined ? undefined : known.get(sign.code);
  if (provenance === null || sign === undefined || row === undefined) return [];
  const { confidence } = sign;
  const explanation = provenanceWords(provenance);
  const finding = { confidence, where: null, dependency: 'extractors', raw_score: null, explanation };
  return [indicatorItem(row, finding, engine)];
}
