import taxonomy from '../../../../../data/taxonomy/techniques.json' with { type: 'json' };
import { overlaps } from '../../../../text/positions.ts';
import { limits } from '../../engines/techniques/limits.ts';
import type { Engine } from '../../resources/finding.ts';
import { byWeight, countedPassages, findingWeight, noisyOr } from '../../resources/technique-weight.ts';
import type { TechniqueItem } from '../../resources/techniques-result.ts';
import type { ModelFinding } from './model-findings.ts';

type Passage = TechniqueItem['spans'][number];

const entries = new Map(taxonomy.map((technique) => [technique.code, technique]));
const PLACES = 4;

const rounded = (share: number) => Number(share.toFixed(PLACES));

/**
 * Our findings with those of a model. Where both mark overlapping words with the same code the passage stays as ours, and
 * becomes surer and counts for more, 1 - (1 - a)(1 - b); what only the model marks is added. A model takes nothing that counts away;
 * passages of ours that count for nothing stay where the model marks nothing.
 */
export function mergedFindings(
  own: readonly TechniqueItem[],
  modelFindings: readonly ModelFinding[],
  engine: Engine,
): TechniqueItem[] {
  const byCode = new Map(own.map((item) => [item.code, item]));
  for (const code of new Set(modelFindings.map((finding) => finding.code))) {
    const surest = modelFindings
      .filter((finding) => finding.code === code)
      .sort((one, two) => two.confidence - one.confidence);
    const merged = mergedItem(byCode.get(code), surest, engine);
    if (merged !== undefined) byCode.set(code, merged);
  }
  return [...byCode.values()].sort(byWeight);
}

/** The item of one code; `found` comes surest first and is not empty. */
function mergedItem(
  own: TechniqueItem | undefined,
  modelFindings: readonly ModelFinding[],
  engine: Engine,
): TechniqueItem | undefined {
  const [first] = modelFindings;
  const technique = entries.get(first?.code ?? '');
  if (first === undefined || technique === undefined) return undefined;
  const { code, name_en, name_ro, dimension, severity } = technique;
  const counted = own === undefined ? [] : countedPassages(own);
  const merged = mergedPassages(counted, modelFindings);
  const others = own?.spans.filter((passage) => !counted.includes(passage)) ?? [];
  const free = others.filter((passage) => !merged.some((one) => overlaps(one, passage)));
  const spans = [...merged, ...free].slice(0, limits.mostSpans).sort((one, two) => one.start - two.start);
  return {
    ...{ code, name_en, name_ro, dimension, severity },
    confidence: rounded(
      noisyOr([own?.confidence ?? 0, ...distinct(modelFindings).map(({ confidence }) => confidence)]),
    ),
    spans,
    // The model's words say why these words do it; ours are a template for the code.
    explanation_en: first.explanation_en,
    explanation_ro: first.explanation_ro,
    stage: 'deep',
    // A finding of both stays that of the engine, whose result can be reproduced.
    engine: own !== undefined && findingWeight(own) > 0 ? own.engine : engine,
  };
}

/** Findings of a model without those that overlap a surer one. */
function distinct(modelFindings: readonly ModelFinding[]): ModelFinding[] {
  const kept: ModelFinding[] = [];
  for (const finding of modelFindings)
    if (!kept.some(({ span }) => overlaps(span, finding.span))) kept.push(finding);
  return kept;
}

/** The passages of one code that count, those that count most kept when there are too many. */
function mergedPassages(own: readonly Passage[], modelFindings: readonly ModelFinding[]): Passage[] {
  const shared = own.map((passage) => {
    const agreeing = modelFindings.find(({ span }) => overlaps(passage, span));
    if (agreeing === undefined) return passage;
    const both = (own: number) =>
      rounded(Math.min(limits.mostConfidence, noisyOr([own, agreeing.confidence])));
    const { confidence = 0 } = passage;
    return { ...passage, confidence: both(confidence), weight: both(passage.weight ?? confidence) };
  });
  const added: Passage[] = [];
  for (const { span, confidence } of modelFindings) {
    if ([...own, ...added].some((passage) => overlaps(passage, span))) continue;
    added.push({ ...span, confidence: rounded(confidence), weight: rounded(confidence) });
  }
  return [...shared, ...added]
    .sort((one, two) => (two.weight ?? two.confidence ?? 0) - (one.weight ?? one.confidence ?? 0))
    .slice(0, limits.mostSpans);
}
