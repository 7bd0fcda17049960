import { z } from 'zod';
import prompt from '../../../../../data/prompts/techniques.json' with { type: 'json' };
import meta from '../../../../../data/taxonomy/technique-meta.json' with { type: 'json' };
import taxonomy from '../../../../../data/taxonomy/techniques.json' with { type: 'json' };
import type { Span } from '../../../../text/positions.ts';
import { rejectionReason } from '../../dependencies/text-model/output-check.ts';
import type { Task } from '../../dependencies/text-model/text-model.ts';
import { partNote, windowOf } from '../../dependencies/text-model/window.ts';
import { toPlainText } from '../../engines/plain-text.ts';
import type { ExplanationPair } from '../../engines/techniques/explaining.ts';
import { limits } from '../../engines/techniques/limits.ts';
import { Quotes } from '../quotes.ts';

/** The form of the model's answer; which of its findings hold is checked one by one. */
const answerForm = z.object({
  findings: z.array(
    z.object({
      code: z.string().meta({ enum: meta.core_codes }),
      quote: z.string(),
      confidence: z.number().min(0).max(1),
      explanation_en: z.string(),
      explanation_ro: z.string(),
    }),
  ),
});
type ModelAnswer = z.output<typeof answerForm>;

/** Limits of the findings that a model may add, each with its reason. */
export const modelLimits = {
  /** Findings that are looked at: more than a careful annotator marks in a text of this length. */
  mostFindings: 30,
  /**
   * A finding that no engine of ours shares is at most this sure: models assert with confidence, and the text itself
   * may have talked one into it.
   */
  mostConfidence: 0.75,
  /** Longest quote, in code points: a longer one does not pin down a technique. */
  longestQuote: 400,
  /** A longer explanation is not read; in code points. */
  longestExplanation: 400,
} as const;

/** One finding of a model that was found in the text and reads as it should. */
export interface ModelFinding extends ExplanationPair {
  readonly code: string;
  readonly span: Span;
  /** 0 to 1, already held to what a model may claim. */
  readonly confidence: number;
}

const core = new Set(meta.core_codes);

const codeList = taxonomy
  .filter(({ code }) => core.has(code))
  .map(({ code, definition_en }) => `- ${code}: ${definition_en}`)
  .join('\n');

/** The prompt about a text. */
export function techniquesTask(text: string): Task<ModelAnswer> {
  return {
    stage: 'techniques.deep',
    prompt,
    fields: { codes: codeList, most: String(modelLimits.mostFindings) },
    material: (most) => {
      const window = windowOf(toPlainText(text).text, most);
      return { text: window.text, note: partNote(window) };
    },
    schema: answerForm,
  };
}

/**
 * The findings of an answer that hold: a known code, a quote that stands in the text, and explanations in the right
 * languages that quote and conclude nothing of their own. Undefined when the model named some and none holds.
 */
export function acceptedFindings(
  { findings }: ModelAnswer,
  text: string,
  identify: (text: string) => string,
): ModelFinding[] | undefined {
  if (findings.length === 0) return [];
  const quotes = new Quotes(text);
  const reads = (explanation: string, language: 'en' | 'ro') =>
    [...explanation].length <= modelLimits.longestExplanation &&
    rejectionReason(explanation, {
      language,
      identify,
      sources: [text],
      numbers: [],
      falsityShown: false,
    }) === null;
  const accepted = findings
    .slice(0, modelLimits.mostFindings)
    .flatMap(({ code, quote, confidence, explanation_en, explanation_ro }): ModelFinding[] => {
      if (!core.has(code) || confidence < limits.leastModelConfidence) return [];
      const span = quotes.find(quote);
      if (span === undefined || span.end - span.start > modelLimits.longestQuote) return [];
      if (!reads(explanation_en, 'en') || !reads(explanation_ro, 'ro')) return [];
      const cappedConfidence = Math.min(confidence, modelLimits.mostConfidence);
      return [
        {
          code,
          span,
          confidence: cappedConfidence,
          explanation_en: explanation_en.trim(),
          explanation_ro: explanation_ro.trim(),
        },
      ];
    });
  return accepted.length === 0 ? undefined : accepted;
}
