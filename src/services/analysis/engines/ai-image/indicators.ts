import taxonomy from '../../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import type { DetectorResult, PictureAnalysis } from '../../../forensic/contract.ts';
import type { IndicatorItem } from '../../resources/ai-tampered-result.ts';
import type { Engine } from '../../resources/finding.ts';
import type { PictureProvenance } from '../../resources/image-analysis.ts';
import { provenanceSign, provenanceWords } from './provenance.ts';

interface TaxonomyIndicator {
  readonly code: string;
  readonly name_en: string;
  readonly name_ro: string;
  readonly strength: string;
  readonly caution_en?: string;
  readonly caution_ro?: string;
}

const known = new Map(
  taxonomy.categories
    .filter(({ media_type }) => media_type === 'image')
    .flatMap(({ code: category, indicators }) =>
      (indicators as TaxonomyIndicator[]).map(
        (indicator) => [indicator.code, { category, ...indicator }] as const,
      ),
    ),
);

/** What a detector that found something is called in the taxonomy, and how sure it is by the rates of its card. */
const NAMES = {
  double_quantisation: { code: 'compression_history_conflict', confidence: 0.9 },
  copy_move: { code: 'copy_move_region', confidence: 0.9 },
  jpeg_grid: { code: 'jpeg_grid_conflict', confidence: 0.85 },
  file_history: { code: 'file_history_oddity', confidence: 0.3 },
} as const satisfies Readonly<Record<string, { code: string; confidence: number }>>;
/** The file says it itself; what it says can be forged. */
const DECLARATION_CONFIDENCE = 0.93;

function nameOf({ detector }: DetectorResult, { file }: Pick<PictureAnalysis, 'file'>) {
  if (detector === 'generator_metadata') {
    const code = file.generator === null ? 'iptc_source_type_synthetic' : 'generator_metadata';
    return { code, confidence: DECLARATION_CONFIDENCE };
  }
  return detector in NAMES ? NAMES[detector as keyof typeof NAMES] : undefined;
}

/** Regions in fractions of the picture, the largest first. */
export function regionsOf(
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
    const [where = null] = regionsOf(result, analysis);
    const { caution_en: en, caution_ro: ro } = row;
    return [
      {
        category: row.category,
        code: row.code,
        strength: row.strength,
        confidence: name.confidence,
        where,
        dependency: 'forensic',
        raw_score: result.score,
        cautions: [...(en !== undefined && ro !== undefined ? [{ en, ro }] : []), result.cannot_see],
        explanation_en: `${row.name_en}. ${result.explanation?.en ?? ''}`.trim(),
        explanation_ro: `${row.name_ro}. ${result.explanation?.ro ?? ''}`.trim(),
        engine,
      },
    ];
  });
}

/** The item of a signed history that says something. */
export function provenanceIndicator(provenance: PictureProvenance | null, engine: Engine): IndicatorItem[] {
  const sign = provenanceSign(provenance);
  const row = sign === undefined ? undefined : known.get(sign.code);
  if (provenance === null || sign === undefined || row === undefined) return [];
  const { caution_en: en, caution_ro: ro } = row;
  const words = provenanceWords(provenance);
  return [
    {
      category: row.category,
      code: row.code,
      strength: row.strength,
      confidence: sign.confidence,
      where: null,
      dependency: 'extractors',
      raw_score: null,
      cautions: en !== undefined && ro !== undefined ? [{ en, ro }] : [],
      explanation_en: `${row.name_en}. ${words.en}`,
      explanation_ro: `${row.name_ro}. ${words.ro}`,
      engine,
    },
  ];
}
