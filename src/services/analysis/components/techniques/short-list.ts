import { explainTechnique } from '../../engines/techniques/explaining.ts';
import { countedPassages, findingWeight, passageWeight } from '../../resources/technique-weight.ts';
import type { TechniqueItem } from '../../resources/techniques-result.ts';

/**
 * Findings from a weight on, 0 to 1. At 0 all are listed; above it those whose weight is at least so much, with the passages that count in
 * manipulation_score alone. The confidence of a technique stays: it is that of the whole text.
 */
export function shortList(items: readonly TechniqueItem[], least: number): readonly TechniqueItem[] {
  if (least <= 0) return items;
  return items.flatMap((item) => {
    if (findingWeight(item) < least) return [];
    const spans = countedPassages(item);
    if (spans.length === item.spans.length) return [item];
    // What a text model said of a technique stays its own.
    if (item.stage === 'deep') return [{ ...item, spans }];
    const strongest = spans.toSorted((one, two) => passageWeight(two, item) - passageWeight(one, item));
    const pair = explainTechnique(
      item.code,
      strongest.map(({ quote }) => quote),
    );
    return [{ ...item, ...pair, spans }];
  });
}
