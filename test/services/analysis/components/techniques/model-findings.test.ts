import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import meta from '../../../../../data/taxonomy/technique-meta.json' with { type: 'json' };
import { packageFile } from '../../../../../src/foundation/files.ts';
import { mergedFindings } from '../../../../../src/services/analysis/components/techniques/merging.ts';
import {
  acceptedFindings,
  type ModelFinding,
  modelLimits,
  techniquesTask,
} from '../../../../../src/services/analysis/components/techniques/model-findings.ts';
import { noisyOr } from '../../../../../src/services/analysis/resources/technique-weight.ts';
import {
  type TechniqueItem,
  techniqueItem,
} from '../../../../../src/services/analysis/resources/techniques-result.ts';
import { identifyLanguage } from '../../../../../src/text/language.ts';
import { loadLinear } from '../../../../../src/text/linear.ts';
import { spanOf } from '../../../../../src/text/positions.ts';

const language = loadLinear(readFileSync(packageFile('models', 'language.bin')));
const identify = (text: string) => identifyLanguage(language, text).code;

const text =
  'Trădătorii din guvern ne vând țara 🙂, bucată cu bucată. Ministerul a publicat bugetul pe 2024. Ori ești cu noi, ori ești împotriva noastră!';
const sound = {
  code: 'name_calling_labeling',
  quote: 'Trădătorii din guvern',
  confidence: 0.9,
  explanation_en: 'A charged label stands in for any argument about what the government did.',
  explanation_ro: 'O etichetă încărcată ține loc de argument despre ce a făcut guvernul.',
};

describe('the findings of a model', () => {
  it('are kept when they stand in the text, no surer than a model may be', () => {
    const [finding] = acceptedFindings({ findings: [sound] }, text, identify) ?? [];
    expect(finding).toMatchObject({
      code: 'name_calling_labeling',
      confidence: modelLimits.mostConfidence,
      span: { start: 0, end: 21, quote: 'Trădătorii din guvern' },
    });
  });

  it.each<[string, Partial<typeof sound>]>([
    ['an unknown code', { code: 'lying' }],
    ['a code that only pictures can show', { code: 'transfer' }],
    ['an invented quote', { quote: 'Trădătorii din parlament' }],
    ['a quote that is a whole text', { quote: text.repeat(5) }],
    ['little confidence', { confidence: 0.3 }],
    ['an English explanation in the wrong language', { explanation_en: sound.explanation_ro }],
    ['a Romanian explanation in the wrong language', { explanation_ro: sound.explanation_en }],
    ['an explanation that says nothing', { explanation_en: 'Bad.' }],
    ['an explanation without end', { explanation_en: `${sound.explanation_en} `.repeat(20) }],
    ['an explanation with markup', { explanation_en: `<b>${sound.explanation_en}</b>` }],
    [
      'an explanation that judges the facts',
      { explanation_en: `${sound.explanation_en} The text is false.` },
    ],
    [
      'an explanation with an invented quote',
      { explanation_en: `${sound.explanation_en} It says “we must fight them now”.` },
    ],
    [
      'an explanation with an invented number',
      { explanation_en: `${sound.explanation_en} 87 studies show it.` },
    ],
  ])('are dropped with %s', (_name, wrong) => {
    expect(acceptedFindings({ findings: [{ ...sound, ...wrong }] }, text, identify)).toBeUndefined();
    const kept = acceptedFindings({ findings: [{ ...sound, ...wrong }, sound] }, text, identify);
    expect(kept).toHaveLength(1);
  });

  it('may be none', () => {
    expect(acceptedFindings({ findings: [] }, text, identify)).toEqual([]);
  });

  it('are asked for with every code and its meaning', () => {
    const { fields, material, prompt } = techniquesTask(text);
    for (const code of meta.core_codes) expect(fields.codes).toContain(`- ${code}: `);
    expect(prompt.system.join('\n')).toContain('{codes}');
    expect(material(1000)).toEqual({ text, note: '' });
    expect(material(60).note).toContain('of');
  });
});

const engine = { model: 'm', version: 'prompt 1', duration_ms: 5 };
const ownEngine = { model: 'limpede-techniques-1', version: '1', duration_ms: 1 };
const pair = { explanation_en: 'Ours.', explanation_ro: 'A noastră.' };

function own(code: string, passages: [number, number, number][]): TechniqueItem {
  const spans = passages.map(([from, to, confidence]) => ({ ...spanOf(text, from, to), confidence }));
  return techniqueItem.parse({
    code,
    name_en: code,
    name_ro: code,
    dimension: 'attack_on_reputation',
    severity: 3,
    confidence: noisyOr(spans.map(({ confidence }) => confidence)),
    spans,
    ...pair,
    stage: 'screening',
    engine: ownEngine,
  });
}

function found(code: string, from: number, to: number, confidence: number): ModelFinding {
  return {
    code,
    span: spanOf(text, from, to),
    confidence,
    explanation_en: 'Theirs.',
    explanation_ro: 'A lor.',
  };
}

describe('our findings with those of a model', () => {
  it('become surer where both see the same', () => {
    const [item] = mergedFindings([own('doubt', [[0, 10, 0.6]])], [found('doubt', 5, 20, 0.5)], engine);
    expect(item).toMatchObject({
      stage: 'deep',
      confidence: 0.8,
      explanation_en: 'Theirs.',
      engine: ownEngine,
    });
    expect(item?.spans).toEqual([{ ...spanOf(text, 0, 10), confidence: 0.8, weight: 0.8 }]);
  });

  it('grow by what only the model sees', () => {
    const ours = own('doubt', [[0, 10, 0.6]]);
    const items = mergedFindings(
      [ours],
      [found('doubt', 20, 30, 0.5), found('slogans', 0, 10, 0.75), found('slogans', 2, 8, 0.6)],
      engine,
    );
    expect(items.map(({ code, spans }) => [code, spans.length])).toEqual([
      ['doubt', 2],
      ['slogans', 1],
    ]);
    expect(items[1]).toMatchObject({ stage: 'deep', engine, confidence: 0.75, severity: 1 });
    for (const item of items) expect(techniqueItem.safeParse(item).success).toBe(true);
  });

  it('count for as much as if passages without weight were not there', () => {
    const weighed = (confidence: number, weight: number, from: number, to: number) => ({
      ...spanOf(text, from, to),
      confidence,
      weight,
    });
    const counted = own('doubt', [[0, 10, 0.3]]);
    const passage = weighed(0.3, 0.6, 0, 10);
    const ours = { ...counted, spans: [passage] };
    const longer = { ...ours, spans: [passage, weighed(0.2, 0, 12, 30), weighed(0.2, 0, 60, 70)] };
    const theirs = [found('doubt', 5, 16, 0.5), found('doubt', 20, 40, 0.6)];
    const [item] = mergedFindings([ours], theirs, engine);
    const [same] = mergedFindings([longer], theirs, engine);
    expect(same?.spans.filter(({ weight }) => weight !== 0)).toEqual(item?.spans);
    expect(same?.spans.filter(({ weight }) => weight === 0)).toEqual([weighed(0.2, 0, 60, 70)]);
    expect(item?.spans[0]).toMatchObject({ confidence: 0.65, weight: 0.8 });
  });

  it('are those of the model where ours count for nothing', () => {
    const ours = own('doubt', [[60, 70, 0.2]]);
    const silent = { ...ours, spans: ours.spans.map((passage) => ({ ...passage, weight: 0 })) };
    const [item] = mergedFindings([silent], [found('doubt', 0, 10, 0.5)], engine);
    expect(item).toMatchObject({ engine, stage: 'deep', confidence: 0.6 });
  });

  it('stay as they are where the model is silent', () => {
    const ours = own('doubt', [[0, 10, 0.6]]);
    expect(mergedFindings([ours], [], engine)).toEqual([ours]);
    expect(mergedFindings([ours], [found('slogans', 0, 10, 0.7)], engine)).toContainEqual(ours);
  });

  it('never lose a passage or confidence, and never pass the limits', () => {
    const code = fc.constantFrom('doubt', 'slogans', 'loaded_language');
    const place = fc.tuple(
      fc.nat(120),
      fc.integer({ min: 1, max: 15 }),
      fc.double({ min: 0.5, max: 0.75, noNaN: true }),
    );
    fc.assert(
      fc.property(
        fc.dictionary(code, place),
        fc.array(fc.tuple(code, place), { maxLength: 8 }),
        (ours, theirs) => {
          const items = Object.entries(ours).map(([name, [from, length, sure]]) =>
            own(name, [[from, from + length, sure]]),
          );
          const merged = mergedFindings(
            items,
            theirs.map(([name, [from, length, sure]]) => found(name, from, from + length, sure)),
            engine,
          );
          for (const item of items) {
            const now = merged.find((other) => other.code === item.code);
            expect(now?.confidence ?? 0).toBeGreaterThanOrEqual(item.confidence - 1e-4);
            expect(now?.spans.map(({ start }) => start)).toContain(item.spans[0]?.start);
          }
          for (const { spans } of merged) {
            for (const { confidence } of spans) expect(confidence).toBeLessThanOrEqual(0.95);
            expect(spans.map(({ start }) => start)).toEqual(
              spans.map(({ start }) => start).toSorted((a, b) => a - b),
            );
          }
        },
      ),
    );
  });
});
