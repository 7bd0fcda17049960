import meta from '../../data/taxonomy/technique-meta.json' with { type: 'json' };
import { readable } from '../../src/services/analysis/engines/plain-text.ts';
import {
  createTechniquesEngine,
  ruledCodes,
  type TechniquesEngine,
} from '../../src/services/analysis/engines/techniques/engine.ts';
import { viewOf } from '../../src/services/analysis/engines/techniques/features.ts';
import {
  type TechniquesModel,
  writeTechniquesModel,
} from '../../src/services/analysis/engines/techniques/model-file.ts';
import { calibrated, LabelCodes } from '../../src/services/analysis/engines/techniques/naming.ts';
import { applyRules, loadRuleBooks } from '../../src/services/analysis/engines/techniques/rules.ts';
import { screen } from '../../src/services/analysis/engines/techniques/screening.ts';
import {
  sentenceRanges,
  type TokenRange,
  tokenise,
} from '../../src/services/analysis/engines/techniques/tokens.ts';
import { countWords } from '../../src/text/words.ts';
import type { Range } from './measure.ts';

/** A passage that is listed, or could be; places are UTF-16 offsets in the text as it was sent. */
export interface ListedPassage extends Range {
  readonly code: string;
  readonly confidence: number;
  /** What the trained stages say by themselves that its best label is right, 0 to 1. */
  readonly chance: number;
  /** Share of a chance that the code keeps of its label. */
  readonly share: number;
  readonly sentence: number;
  /** A marked span of the same technique overlaps it. */
  readonly right: boolean;
}

/** A text with what is listed today and every passage of the trained stages under its best label. */
export interface ListDocument {
  /** -1 for a text without marks. */
  readonly fold: number;
  readonly gold: readonly (Range & { readonly label: string })[];
  readonly wordCount: number;
  readonly listed: readonly ListedPassage[];
  readonly passages: readonly ListedPassage[];
  /** Mean log-odds of any technique in the other sentences, without the calmest quarter and the loudest. */
  around(sentence: number): number;
}

/** Log-odds of a chance, within about 14. */
export const logOdds = (chance: number): number => Math.log((chance + 1e-6) / (1 - chance + 1e-6));

/** An ordinary sentence, so many times; shorter sentences say nothing by themselves. */
const ORDINARY = { any: -1.2, times: 4, leastTokens: 4, calmest: 0.25 } as const;
const LEAST_CHANCE = 0.12;

function aroundIn(chances: Float64Array, sentences: readonly TokenRange[]): (sentence: number) => number {
  const known = new Map<number, number>();
  return (sentence) => {
    const before = known.get(sentence);
    if (before !== undefined) return before;
    const sorted = [...chances.keys()]
      .filter((at) => at !== sentence)
      .filter((at) => (sentences[at]?.to ?? 0) - (sentences[at]?.from ?? 0) >= ORDINARY.leastTokens)
      .map((at) => logOdds(chances[at] ?? 0))
      .sort((one, two) => one - two);
    const kept = sorted.slice(Math.floor(ORDINARY.calmest * sorted.length), -1);
    const sum = kept.reduce((total, value) => total + value, ORDINARY.times * ORDINARY.any);
    known.set(sentence, sum / (kept.length + ORDINARY.times));
    return known.get(sentence) ?? ORDINARY.any;
  };
}

/** Reads texts with one model of words. */
export class ListReader {
  private readonly engine: TechniquesEngine;
  private readonly codes = new LabelCodes(meta.label_to_codes.semeval2020);
  private readonly book = loadRuleBooks().en;

  private readonly model: TechniquesModel;

  constructor(model: TechniquesModel) {
    this.model = model;
    this.engine = createTechniquesEngine(writeTechniquesModel(model));
  }

  read({
    text: sent,
    fold,
    gold,
  }: Pick<ListDocument, 'fold' | 'gold'> & { readonly text: string }): ListDocument {
    const plain = readable(sent);
    const { text } = plain;
    const tokens = tokenise(text);
    const sentences = sentenceRanges(text, tokens);
    const { screening, calibration } = this.model;
    const ruled = ruledCodes(tokens.length, applyRules(this.book, tokens, sentences));
    const read = screen(viewOf(tokens, sentences, screening.words, ruled), screening);
    const passages = read.spans.flatMap((span): ListedPassage[] => {
      const own = sentences[span.sentence];
      const named = screening.labels
        .map((label, index) => ({ label, chance: calibrated(calibration, span, index) }))
        .toSorted((one, two) => two.chance - one.chance)[0];
      const code = own && named && this.codes.codeOf(named.label, tokens, own);
      if (named === undefined || code === undefined || named.chance < LEAST_CHANCE) return [];
      const { start_utf16: start, end_utf16: end } = plain.span(
        tokens[span.from]?.start ?? 0,
        tokens[span.to - 1]?.end ?? 0,
      );
      const right = gold.some((one) => one.label === named.label && one.start < end && one.end > start);
      const { chance } = named;
      return [
        {
          start,
          end,
          code: code.code,
          share: code.factor,
          chance,
          confidence: chance,
          sentence: span.sentence,
          right,
        },
      ];
    });
    const around = aroundIn(read.sentences, sentences);
    return { fold, gold, wordCount: countWords(text), passages, around, listed: this.today(sent, gold) };
  }

  /** What is listed today. */
  private today(text: string, gold: ListDocument['gold']): ListedPassage[] {
    const { techniques_detected: findings } = this.engine.analyse(text, { language: 'en' });
    return findings.flatMap(({ code, spans }) =>
      spans.map(({ start_utf16: start, end_utf16: end, confidence }) => {
        const right = gold.some(
          (one) => codesOf[one.label]?.includes(code) === true && one.start < end && one.end > start,
        );
        return { code, start, end, confidence, chance: 0, share: 1, sentence: -1, right };
      }),
    );
  }
}

/** Codes that each label of the corpus may mean. */
const codesOf: Readonly<Record<string, readonly string[]>> = meta.label_to_codes.semeval2020;
