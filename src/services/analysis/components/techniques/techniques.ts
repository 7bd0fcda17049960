import type { TextEngines } from '../../engines/text-engines.ts';
import type { TechniquesResult } from '../../resources.ts';
import type { Component } from '../component.ts';
import { textOf, withoutText } from '../text-component.ts';
import type { TechniquesAnalysis } from './engine.ts';

function blockOf(found: TechniquesAnalysis, durationMs: number): TechniquesResult {
  return {
    ...found,
    techniques_detected: found.techniques_detected as TechniquesResult['techniques_detected'],
    coupling_context: null,
    llm_screening: null,
    llm_deep: null,
    screening_duration_ms: durationMs,
    deep_analysis_duration_ms: null,
    total_duration_ms: durationMs,
    fallbacks_screening: 0,
    fallbacks_deep: 0,
  };
}

/** Quality of an answer without findings: to be replaced by the measured share of calm sentences left alone. */
const NOTHING_FOUND = 0.7;

/** Mean confidence of the findings, 0 to 1. */
export function techniquesQuality({ techniques_detected: found }: TechniquesAnalysis): number {
  if (found.length === 0) return NOTHING_FOUND;
  return found.reduce((sum, { confidence }) => sum + confidence, 0) / found.length;
}

/** The component that finds manipulation techniques. */
export function createTechniques(engines: Pick<TextEngines, 'techniques'>): Component<'techniques'> {
  return {
    name: 'techniques',
    inapplicable: withoutText,
    run: async (material) => {
      const started = performance.now();
      const found = await engines.techniques(textOf(material));
      const quality = techniquesQuality(found);
      const block = blockOf(found, Math.round(performance.now() - started));
      return { block, reliability: 'planned', quality, fallbacks: 0, out_of_scope: false, degraded: [] };
    },
  };
}
