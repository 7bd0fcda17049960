import { describe, expect, it } from 'vitest';
import {
  applyFrames,
  loadFrameBooks,
  neutralFactor,
  scaleConfidences,
} from '../../../../../src/services/analysis/engines/techniques/frames.ts';
import { limits } from '../../../../../src/services/analysis/engines/techniques/limits.ts';
import {
  discountInterviewQuestions,
  findQuestionRuns,
} from '../../../../../src/services/analysis/engines/techniques/questions.ts';
import { sentenceRanges, tokenise } from '../../../../../src/services/analysis/engines/techniques/tokens.ts';

const books = loadFrameBooks();

function framed(language: 'en' | 'ro', text: string) {
  const tokens = tokenise(text);
  return applyFrames(books[language], tokens, sentenceRanges(text, tokens));
}

const codes = (language: 'en' | 'ro', text: string) => framed(language, text).map((item) => item.code);

describe('frames', () => {
  it.each([
    ['en', 'appeal_to_fear_prejudice', 'They are strangling our farmers.'],
    ['en', 'name_calling_labeling', 'A pack of lying bureaucrats runs the town.'],
    ['en', 'doubt', 'No newspaper dares to print a word about it.'],
    ['en', 'false_dilemma_no_choice', 'There is no middle ground.'],
    ['en', 'questioning_the_reputation', 'How do they sleep at night?'],
    ['ro', 'appeal_to_fear_prejudice', 'Ne sugrumă țăranii.'],
    ['ro', 'appeal_to_fear_prejudice', 'Ne sugruma taranii.'],
    ['ro', 'name_calling_labeling', 'Politicienii români sunt niște nenorociți.'],
    ['ro', 'false_dilemma_no_choice', 'Nu există cale de mijloc.'],
    ['ro', 'slogans', 'Treziți-vă cu toții!'],
  ] as const)('%s %s: %s', (language, code, text) => {
    expect(codes(language, text)).toContain(code);
  });

  it('counts a charged word only beside another sign or a word for us, you or them', () => {
    expect(codes('en', 'The ruins were looted in antiquity.')).toEqual([]);
    expect(codes('en', 'Our ruins were looted.')).toContain('loaded_language');
  });

  it('does not take Romanian words for others that look alike without diacritics', () => {
    expect(
      codes('ro', 'Cartea a fost tradusă în limba română, iar furnizorul a calculat prețul țării.'),
    ).toEqual([]);
  });

  it('weakens single strong words where the subject is loud by nature', () => {
    const text =
      'The film is brutal. Its director shows a monster and the actor is a savage. They rob a bank.';
    const tokens = tokenise(text);
    expect(neutralFactor(books.en, tokens, sentenceRanges(text, tokens))).toBeCloseTo(
      limits.neutralFactor,
      1,
    );
    const item = framed('en', 'They are strangling our farmers.')[0];
    expect(item).toBeDefined();
    expect(
      scaleConfidences(item === undefined ? [] : [item], limits.neutralFactor)[0]?.confidence,
    ).toBeCloseTo((item?.confidence ?? 0) * limits.neutralFactor);
  });
});

describe('a calm subject', () => {
  const text = `${'The director shows the actor in a new film. '.repeat(8)}`;
  const tokens = tokenise(text);
  const sentences = sentenceRanges(text, tokens);
  const doubts = (count: number) =>
    sentences.slice(0, count).map(({ from, to }, sentence) => ({
      from,
      to,
      sentence,
      anchor: from,
      code: 'doubt',
      confidence: 0.7,
      origin: 'rule' as const,
    }));
  const factor = (count: number) => neutralFactor(books.en, tokens, sentences, doubts(count));

  it('softens less with each sentence that agitates: no single one decides', () => {
    expect([0, 1].map(factor)).toEqual([limits.neutralFactor, limits.neutralFactor]);
    const [two, three, four] = [factor(2), factor(3), factor(4)];
    const step = (1 - limits.neutralFactor) / limits.agitatingInFull;
    expect(two).toBeCloseTo(limits.neutralFactor + step);
    expect(three).toBeCloseTo(limits.neutralFactor + 2 * step);
    expect(four).toBe(1);
  });
});

describe('question runs', () => {
  const runs = (text: string) => {
    const tokens = tokenise(text);
    return findQuestionRuns(tokens, sentenceRanges(text, tokens), new Uint8Array(tokens.length)).length;
  };

  it.each([
    ['three in a row, which are one passage', 'Who paid? Who knew? Why now? Nobody says.', 1],
    ['two in a row', 'Who paid? Who knew? Nobody says.', 0],
    ['an interview', 'Who paid? The town. Who knew? The mayor. Why now? For the fair.', 0],
    ['no question', 'The town paid. The mayor knew.', 0],
    ['nothing', '', 0],
  ])('%s', (_, text, count) => {
    expect(runs(text)).toBe(count);
  });
});

describe('questions of a conversation', () => {
  const doubt = (text: string) => {
    const tokens = tokenise(text);
    const sentences = sentenceRanges(text, tokens);
    const found = sentences.map(({ from, to }, sentence) => ({
      from,
      to,
      sentence,
      anchor: from,
      code: 'doubt',
      confidence: 0.8,
      origin: 'model' as const,
    }));
    return discountInterviewQuestions(found, tokens, sentences).map(({ confidence }) => confidence < 0.8);
  };

  it.each([
    ['an interview', 'Who paid? The town. Who knew? The mayor. Why so late? It rained.', [0, 2, 4]],
    ['named speakers', 'Reporter: Who pays? Minister: The firm. Reporter: When? Minister: In May.', [0, 2]],
    ['two questions in a post', 'Who paid? Nobody says. Why now? Ask yourself that.', []],
    ['a run', 'Who paid? Who knew? Why now? Nobody says. It stinks.', []],
  ])('weigh less in %s', (_, text, weaker) => {
    expect(doubt(text).flatMap((isWeaker, at) => (isWeaker ? [at] : []))).toEqual(weaker);
  });
});
