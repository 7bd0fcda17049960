import taxonomy from '../../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import type { LocalizedText } from '../../../../foundation/localized-text.ts';
import type { IndicatorItem } from '../../resources/ai-tampered-result.ts';
import type { Engine } from '../../resources/finding.ts';

interface IndicatorEntry {
  readonly code: string;
  readonly name_en: string;
  readonly name_ro: string;
  readonly strength: string;
  readonly caution_en?: string;
  readonly caution_ro?: string;
}

/** An indicator of the taxonomy, with its category and its kind of media. */
export interface TaxonomyIndicator extends IndicatorEntry {
  readonly category: string;
  readonly kind: string;
}

/** All indicators of the taxonomy. */
export const taxonomyIndicators: readonly TaxonomyIndicator[] = taxonomy.categories.flatMap(
  ({ code: category, media_type: kind, indicators }) =>
    (indicators as IndicatorEntry[]).map((indicator) => ({ category, kind, ...indicator })),
);

/** The finding that an item reports, beside the entry of the taxonomy. */
type IndicatorFinding = Pick<IndicatorItem, 'confidence' | 'where' | 'dependency' | 'raw_score'> &
  Partial<Pick<IndicatorItem, 'strength' | 'cautions'>> & {
    readonly explanation: LocalizedText | null;
  };

/** An item of the result: an indicator of the taxonomy with what was found. */
export function indicatorItem(
  { category, code, name_en, name_ro, caution_en: en, caution_ro: ro, ...indicator }: TaxonomyIndicator,
  {
    strength = indicator.strength,
    confidence,
    where,
    dependency,
    raw_score,
    cautions = [],
    explanation,
  }: IndicatorFinding,
  engine: Engine,
): IndicatorItem {
  return {
    category,
    code,
    strength,
    confidence,
    where,
    dependency,
    raw_score,
    cautions: [...(en !== undefined && ro !== undefined ? [{ en, ro }] : []), ...cautions],
    explanation_en: `${name_en}. ${explanation?.en ?? ''}`.trim(),
    explanation_ro: `${name_ro}. ${explanation?.ro ?? ''}`.trim(),
    engine,
  };
}
