import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { explainVerdict } from '../../../../../src/services/analysis/pipeline/explain/explain.ts';
import { timeToExplain } from '../../../../../src/services/analysis/pipeline/explain/explanation-time.ts';
import {
  acceptedExplanation,
  explanationTask,
  modelTextProblem,
} from '../../../../../src/services/analysis/pipeline/explain/model-explanation.ts';
import { makePlan } from '../../../../../src/services/analysis/pipeline/plan.ts';
import {
  type ContextFinding,
  computeVerdict,
} from '../../../../../src/services/analysis/pipeline/verdict/judge.ts';
import {
  profileOf,
  shippedVerdictRules,
} from '../../../../../src/services/analysis/resources/verdict-rules.ts';
import type { Outcomes } from '../../../../../src/services/analysis/session/outcome.ts';
import { identifyLanguage } from '../../../../../src/text/language.ts';
import { loadLinear } from '../../../../../src/text/linear.ts';
import { submissionOf } from '../../harness.ts';
import {
  aiBlock,
  calm,
  claim,
  claimsBlock,
  domainBlock,
  lost,
  ran,
  skipped,
  techniquesBlock,
  usualFacts,
} from '../blocks.ts';

const language = loadLinear(readFileSync(packageFile('models', 'language.bin')));
const identify = (text: string) => identifyLanguage(language, text).code;
const noContext: ContextFinding = { score: 5, quality: 1, genre: null, article: null, summary: {} };
const text = 'The dam caused the flood. The text of the article goes on from here.';

const judgedFrom = (outcomes: Outcomes) => ({
  rules: shippedVerdictRules,
  outcomes,
  judgement: computeVerdict(
    outcomes,
    noContext,
    { rules: shippedVerdictRules, profile: profileOf(shippedVerdictRules, 'url') },
    usualFacts,
  ),
});

const undecided = judgedFrom(calm({ claims: ran(claimsBlock(null, [claim('unverified', 0)])) }));
const score = undecided.judgement.risk_score?.toFixed(1) ?? '';
const sound = {
  explanation_en: `No significant risk was found: the risk score is ${score} of 100. The wording is calm, and one claim, “The dam caused”, could not be decided.`,
  explanation_ro: `Nu s-a găsit un risc semnificativ: scorul de risc este ${score.replace('.', ',')} din 100. Formularea este calmă, iar o afirmație, „The dam caused”, nu a putut fi decisă.`,
};

describe('an explanation by a model', () => {
  it('is taken when both languages are sound', () => {
    const padded = { ...sound, explanation_en: ` ${sound.explanation_en}\n` };
    expect(acceptedExplanation(padded, undecided, text, identify)).toEqual(sound);
  });

  it.each<[string, Partial<typeof sound>, string]>([
    ['the same language twice', { explanation_ro: sound.explanation_en }, 'wrong_language'],
    ['one language empty', { explanation_ro: '' }, 'empty'],
    [
      'no score',
      { explanation_en: 'No significant risk was found, and the wording is calm throughout.' },
      'score_missing',
    ],
    ['another score', { explanation_en: sound.explanation_en.replace(score, '3.3') }, 'invented_number'],
    [
      'part of a larger number',
      { explanation_en: sound.explanation_en.replace(score, `1${score}`) },
      'invented_number',
    ],
    [
      'an invented quote',
      { explanation_en: `${sound.explanation_en} It says “nobody will ever know”.` },
      'invented_quote',
    ],
    [
      'falsity that nothing shows',
      { explanation_en: `${sound.explanation_en} The claim is false.` },
      'unfounded_falsity',
    ],
    [
      'truth that nothing shows',
      { explanation_en: `${sound.explanation_en} The claim is true.` },
      'unfounded_truth',
    ],
    [
      'praise of the source',
      { explanation_en: `${sound.explanation_en} The source is reliable.` },
      'unfounded_truth',
    ],
    [
      'truth that nothing shows, in Romanian',
      { explanation_ro: `${sound.explanation_ro} Textul este adevărat.` },
      'unfounded_truth',
    ],
    ['a link', { explanation_en: `${sound.explanation_en} [More](https://evil.example)` }, 'markup'],
  ])('is refused with %s', (_name, wrong, objection) => {
    const answer = { ...sound, ...wrong };
    expect(modelTextProblem(answer, undecided, text, identify)).toBe(objection);
    expect(acceptedExplanation(answer, undecided, text, identify)).toBeUndefined();
  });

  it.each([
    'It could not be settled whether this is true.',
    'No claim was confirmed.',
    'The source is not reliable by itself.',
  ])('may doubt: %s', (sentence) => {
    const answer = { ...sound, explanation_en: `${sound.explanation_en} ${sentence}` };
    expect(modelTextProblem(answer, undecided, text, identify)).toBeNull();
  });

  it('may say what the record confirms or refutes', () => {
    const confirmed = judgedFrom(calm());
    const say = (found: typeof confirmed, sentence: string) => {
      const now = found.judgement.risk_score?.toFixed(1) ?? '';
      const answer = {
        explanation_en: `The risk score is ${now} of 100, and the wording is calm throughout. ${sentence}`,
        explanation_ro: `Scorul de risc este ${now} din 100, iar formularea este calmă peste tot.`,
      };
      return modelTextProblem(answer, found, text, identify);
    };
    expect(say(confirmed, 'The claim is true.')).toBeNull();
    expect(say(confirmed, 'The claim is false.')).toBe('unfounded_falsity');
    const refuted = judgedFrom(calm({ claims: ran(claimsBlock(10, [claim('verified_false', 3)])) }));
    expect(say(refuted, 'The claim is false.')).toBeNull();
    expect(say(refuted, 'The rest is true.')).toBe('unfounded_truth');
  });

  it.each<[string, Outcomes]>([
    ['calm', calm()],
    ['undecided', undecided.outcomes],
    ['loud', calm({ techniques: ran(techniquesBlock(92)), claims: ran(claimsBlock(null)) })],
    [
      'disbelieved',
      calm({ claims: ran(claimsBlock(5, [claim('verified_false', 3)])), domain: ran(domainBlock(5)) }),
    ],
    ['in part', calm({ claims: lost, ai_tampered: ran(aiBlock(null)), domain: skipped })],
  ])('is held to what our own explanation keeps: %s', (_name, outcomes) => {
    const found = judgedFrom(outcomes);
    expect(modelTextProblem(explainVerdict(found), found, text, identify)).toBeNull();
  });

  it('is asked for with the record, not with the text', () => {
    const { material, timeoutMs, prompt } = explanationTask(undecided, 5000);
    const record = JSON.parse(material(0).text) as Record<string, unknown>;
    expect(record).toMatchObject({
      risk_score: undecided.judgement.risk_score,
      claims: { total: 1, undecided: 1 },
      claim_findings: [{ status: 'unverified', quote: 'text' }],
    });
    expect(timeoutMs).toBe(5000);
    expect(prompt.key).toBe('explanation');
  });
});

describe('the time that an explanation may take', () => {
  const ofText = makePlan(submissionOf(), shippedVerdictRules);
  const ofPage = makePlan(
    submissionOf({ mediaType: 'url', text: null, url: 'https://example.org/a' }),
    shippedVerdictRules,
  );
  const slow = calm({ techniques: ran(techniquesBlock(4, { total_duration_ms: 12_000 })) });

  it.each<[string, number, number]>([
    ['all but the reserve after quick components', timeToExplain(ofText, calm()), 42_999],
    ['less after slow ones', timeToExplain(ofText, slow), 31_000],
    ['less when a page may have been slow as well', timeToExplain(ofPage, slow), 11_000],
    ['a little after a lost one', timeToExplain(ofPage, calm({ claims: lost })), 3_000],
    ['nothing off for what was left out', timeToExplain(ofText, { ...calm(), claims: skipped }), 42_999],
  ])('is %s', (_name, time, expected) => {
    expect(time).toBe(expected);
  });
});
