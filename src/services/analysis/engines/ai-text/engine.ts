import { FeatureHasher } from '../../../../text/features.ts';
import type { LinearModel } from '../../../../text/linear.ts';
import { Positions } from '../../../../text/positions.ts';
import { countWords } from '../../../../text/words.ts';
import { type Reason, reasonFields } from '../../reasons.ts';
import type { AiTamperedResult, IndicatorItem } from '../../resources/ai-tampered-result.ts';
import { toPlainText } from '../plain-text.ts';
import { aiTextProbability, LEAST_WORDS } from './detector.ts';
import { type Disclosure, findDisclosures } from './disclosure.ts';
import { type DisguiseSign, disguiseSigns } from './disguises.ts';
import { IndicatorMaker } from './indicators.ts';
import { foldedSentences } from './passages.ts';
import { findResidue, type Residue } from './residue.ts';
import { findStyleSigns, type StyleSign } from './style.ts';
import { judgeText, type TextJudgement } from './verdict.ts';

/** The text and its ISO 639-1 language code (`und` when unknown). */
export interface AiTextInput {
  text: string;
  language: string;
}

/** Why the trained detector gave no number. */
export type OutOfScope = 'too_short' | 'language';

/** The answer, and whether the text lies outside what the detector was measured on. */
export interface AiTextAnswer {
  block: AiTamperedResult;
  out_of_scope: OutOfScope | null;
}

/** Looks for machine writing in a text. */
export interface AiTextEngine {
  analyse(input: AiTextInput): AiTextAnswer;
}

/** The detector is named among the indicators from here on; 1 in 100 human texts of unseen sources reached it. */
export const LEAST_REPORTED_PROBABILITY = 0.8;

const REASONS_OF: Record<OutOfScope, Reason> = {
  too_short: { code: 'ai_text_too_short', values: { words: LEAST_WORDS } },
  language: { code: 'ai_language_not_measured', values: {} },
};

/** Why there is no probability; all null when there is one. */
function reasonFor(scope: OutOfScope | null, { ai_probability: probability }: TextJudgement) {
  if (scope === null || probability !== null) return { reason_code: null, reason: null, reason_ro: null };
  const { code, ...sentences } = reasonFields(REASONS_OF[scope]);
  return { reason_code: code, ...sentences };
}

/** The engine over the model that training/ai-text.ts writes. */
export function createAiTextEngine(model: LinearModel): AiTextEngine {
  const hasher = new FeatureHasher(model.header.bits);
  return {
    analyse(input) {
      const started = performance.now();
      const plain = toPlainText(input.text);
      const { text } = plain;
      const scope = outOfScope({ text, language: input.language });
      const detector = scope === null ? aiTextProbability(model, hasher, text) : null;
      const sentences = foldedSentences(text);
      const disclosures = findDisclosures(sentences);
      const residues = findResidue(text, sentences);
      const signs = findStyleSigns(text, sentences, input.language);
      const duration = Math.round(performance.now() - started);
      const { name, version } = model.header;
      const maker = new IndicatorMaker(plain, {
        model: name,
        version,
        duration_ms: duration,
      });
      const disguises = disguiseSigns(plain.disguises, new Positions(input.text));
      const items = itemsOf(maker, { disclosures, residues, signs, detector, disguises });
      const disclosedAsMachine =
        disclosures.length === 0 ? null : disclosures.some((found) => found.explicit);
      const shown = disclosures.find((found) => found.explicit) ?? disclosures[0];
      const judgement = judgeText({ items, detector, disclosedAsMachine });
      const block: AiTamperedResult = {
        ...judgement,
        ...reasonFor(scope, judgement),
        categories_affected: [...new Set(items.map((item) => item.category))],
        indicators_count: items.length,
        disclosure_detected: disclosures.length > 0,
        disclosure_explicit: disclosedAsMachine === true,
        disclosure_text: shown ? text.slice(shown.start, shown.end) : null,
        indicators_detected: items,
        content_type: 'text',
        image_analysis: null,
        leading_pictures: null,
        recording_analysis: null,
        llm_screening: null,
        llm_deep: null,
        total_duration_ms: duration,
      };
      return { block, out_of_scope: scope };
    },
  };
}

function outOfScope({ text, language }: AiTextInput): OutOfScope | null {
  if (language !== 'en') return 'language';
  return countWords(text) < LEAST_WORDS ? 'too_short' : null;
}

interface TextSigns {
  disclosures: readonly Disclosure[];
  residues: readonly Residue[];
  signs: readonly StyleSign[];
  detector: number | null;
  disguises: readonly DisguiseSign[];
}

function itemsOf(maker: IndicatorMaker, found: TextSigns): IndicatorItem[] {
  const named =
    found.detector !== null && found.detector >= LEAST_REPORTED_PROBABILITY
      ? [maker.classifier(found.detector)]
      : [];
  return [
    ...found.disclosures.map((disclosure) => maker.disclosure(disclosure)),
    ...found.residues.map((residue) => maker.residue(residue)),
    ...named,
    ...found.signs.map((sign) => maker.style(sign)),
    ...found.disguises.map((sign) => maker.disguise(sign)),
  ];
}
