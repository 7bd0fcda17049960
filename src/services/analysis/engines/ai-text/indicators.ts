import taxonomy from '../../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import type { LocalizedText } from '../../../../foundation/localized-text.ts';
import { roundTo } from '../../../../foundation/numbers.ts';
import type { PlainText } from '../../../../text/plain/plain-text.ts';
import type { IndicatorItem } from '../../resources/ai-tampered-result.ts';
import type { Engine } from '../../resources/finding.ts';
import type { Disclosure } from './disclosure.ts';
import { type DisguiseSign, disguiseReasons } from './disguises.ts';
import type { Residue } from './residue.ts';
import type { StyleSign } from './style.ts';

interface IndicatorEntry {
  category: string;
  weight: number;
  strength: string;
  name_en: string;
  name_ro: string;
  cautions: LocalizedText[];
}

interface TaxonomyIndicator {
  code: string;
  name_en: string;
  name_ro: string;
  strength: string;
  caution_en?: string;
  caution_ro?: string;
}

const known = new Map<string, IndicatorEntry>(
  taxonomy.categories
    .filter((category) => category.media_type === 'text')
    .flatMap((category) =>
      (category.indicators as TaxonomyIndicator[]).map(
        ({ code, caution_en, caution_ro, ...names }): [string, IndicatorEntry] => {
          const cautions = caution_en && caution_ro ? [{ en: caution_en, ro: caution_ro }] : [];
          return [code, { ...names, cautions, category: category.code, weight: category.weight }];
        },
      ),
    ),
);
const strengths = new Map(taxonomy.strength_scale.map((step) => [step.code, step.weight]));

/** A name may be spelled oddly on purpose. */
const DISGUISE_CONFIDENCE = 0.8;

/** Makes the items of one text; `plain` leads passages of the text that was read back to what was sent. */
export class IndicatorMaker {
  private readonly plain: Pick<PlainText, 'span'>;
  private readonly engine: Engine;

  constructor(plain: Pick<PlainText, 'span'>, engine: Engine) {
    this.plain = plain;
    this.engine = engine;
  }

  disclosure(found: Disclosure): IndicatorItem {
    return this.item(
      found.code,
      { confidence: 0.9, passage: found },
      {
        en: 'The text says so itself.',
        ro: 'Textul spune singur acest lucru.',
      },
    );
  }

  residue(found: Residue): IndicatorItem {
    return this.item(
      found.code,
      { confidence: found.confidence, passage: found },
      {
        en: 'Such fragments stay behind when generated text is pasted without reading it through.',
        ro: 'Astfel de fragmente rămân când un text generat este lipit fără a fi recitit.',
      },
    );
  }

  classifier(probability: number): IndicatorItem {
    const share = Math.round(probability * 100);
    return this.item(
      'classifier_probability',
      { confidence: probability, raw: probability },
      {
        en: `The trained detector puts the chance of machine writing at ${share} of 100.`,
        ro: `Detectorul antrenat estimează șansa de scriere automată la ${share} din 100.`,
      },
    );
  }

  style(sign: StyleSign): IndicatorItem {
    const value = roundTo(sign.value, 2);
    const passage = sign.where ? { passage: sign.where } : {};
    return this.item(sign.code, { confidence: 0.3, raw: value, ...passage }, styleReasons[sign.code](value));
  }

  disguise({ kind, count, where }: DisguiseSign): IndicatorItem {
    const measured = { confidence: DISGUISE_CONFIDENCE, raw: count };
    return { ...this.item('disguised_words', measured, disguiseReasons[kind](count)), where };
  }

  private item(
    code: string,
    measured: { confidence: number; raw?: number; passage?: { start: number; end: number } },
    reason: LocalizedText,
  ): IndicatorItem {
    const entry = known.get(code);
    if (!entry) throw new Error(`The taxonomy has no text indicator ${code}.`);
    const { passage } = measured;
    return {
      category: entry.category,
      code,
      strength: entry.strength,
      confidence: roundTo(measured.confidence, 3),
      where: passage ? this.plain.span(passage.start, passage.end) : null,
      dependency: 'own',
      raw_score: measured.raw ?? null,
      cautions: entry.cautions,
      explanation_en: `${entry.name_en}. ${reason.en}`,
      explanation_ro: `${entry.name_ro}. ${reason.ro}`,
      engine: this.engine,
    };
  }
}

const styleReasons: Record<StyleSign['code'], (value: number) => LocalizedText> = {
  stock_connectors: (value) => ({
    en: `${value} stock phrases in 100 words.`,
    ro: `${value} formule-șablon la 100 de cuvinte.`,
  }),
  uniform_paragraph_structure: (value) => ({
    en: `The lengths of the paragraphs differ by only ${Math.round(value * 100)} percent.`,
    ro: `Lungimile paragrafelor diferă cu numai ${Math.round(value * 100)} la sută.`,
  }),
  generic_detail: (value) => ({
    en: `No number and no name in ${value} words.`,
    ro: `Niciun număr și niciun nume în ${value} de cuvinte.`,
  }),
  diacritic_inconsistency_ro: () => ({
    en: 'Parts of the text use different diacritics.',
    ro: 'Părți ale textului folosesc diacritice diferite.',
  }),
};

/** Category weight times strength times confidence, 0 to 1: how strongly one item indicates machine writing. */
export function generationWeight(item: IndicatorItem): number {
  if (item.strength === 'weak') return 0;
  return (known.get(item.code)?.weight ?? 0) * (strengths.get(item.strength) ?? 0) * item.confidence;
}
