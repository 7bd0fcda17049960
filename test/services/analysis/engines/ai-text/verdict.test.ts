import { describe, expect, it } from 'vitest';
import {
  judgeText,
  type TextFindings,
} from '../../../../../src/services/analysis/engines/ai-text/verdict.ts';
import type { IndicatorItem } from '../../../../../src/services/analysis/resources/ai-tampered-result.ts';

function item(category: string, code: string, strength: string, confidence: number): IndicatorItem {
  const engine = { model: 'limpede-ai-text-1', version: '1.0.0', duration_ms: 0 };
  const rest = {
    where: null,
    dependency: 'own',
    raw_score: null,
    cautions: [],
    explanation_en: 'a',
    explanation_ro: 'b',
  };
  return { category, code, strength, confidence, ...rest, engine };
}

const boilerplate = item('text_generation_residue', 'assistant_boilerplate', 'conclusive', 0.95);
const placeholder = item('text_generation_residue', 'unfilled_placeholder', 'strong', 0.75);
const markup = item('text_generation_residue', 'tool_markup_residue', 'strong', 0.9);
const classifier = item('text_statistical_signal', 'classifier_probability', 'moderate', 0.99);
const connectors = item('text_style_pattern', 'stock_connectors', 'weak', 0.3);
const statement = item('text_disclosure', 'explicit_disclosure_statement', 'conclusive', 0.9);

const cases: [string, TextFindings, [number | null, string, string]][] = [
  ['nothing applied', { items: [], detector: null, disclosedAsMachine: null }, [null, 'inconclusive', 'D']],
  [
    'weak signs only',
    { items: [connectors], detector: null, disclosedAsMachine: null },
    [null, 'inconclusive', 'C'],
  ],
  [
    'a low detector proves nothing',
    { items: [], detector: 0.02, disclosedAsMachine: null },
    [2, 'inconclusive', 'C'],
  ],
  [
    'the detector alone never accuses',
    { items: [classifier], detector: 0.99, disclosedAsMachine: null },
    [99, 'inconclusive', 'C'],
  ],
  [
    'a conclusive trace',
    { items: [boilerplate], detector: null, disclosedAsMachine: null },
    [95, 'strong_evidence', 'B'],
  ],
  [
    'a strong trace',
    { items: [markup], detector: null, disclosedAsMachine: null },
    [63, 'likely_ai_or_tampered', 'B'],
  ],
  [
    'a placeholder alone',
    { items: [placeholder], detector: null, disclosedAsMachine: null },
    [52.5, 'inconclusive', 'B'],
  ],
  [
    'trace and detector',
    { items: [placeholder, classifier], detector: 0.9, disclosedAsMachine: null },
    [95.25, 'strong_evidence', 'B'],
  ],
  ['disclosed', { items: [statement], detector: null, disclosedAsMachine: true }, [95, 'disclosed_ai', 'B']],
  ['help disclosed', { items: [], detector: 0.1, disclosedAsMachine: false }, [46, 'inconclusive', 'C']],
];

describe('judgeText', () => {
  it.each(cases)('%s', (_name, findings, [probability, verdict, grade]) => {
    const judged = judgeText(findings);
    expect(judged).toMatchObject({ ai_probability: probability, verdict, evidence_grade: grade });
  });

  it('lowers the risk of what is disclosed', () => {
    expect(judgeText({ items: [boilerplate], detector: null, disclosedAsMachine: null }).risk_score).toBe(95);
    expect(judgeText({ items: [statement], detector: null, disclosedAsMachine: true }).risk_score).toBe(
      23.75,
    );
    expect(judgeText({ items: [], detector: 0.1, disclosedAsMachine: false }).risk_score).toBe(23);
  });
});
