import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import {
  encodingOf as encodingOfText,
  type TextEncoding,
} from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { logOddsOf } from '../../../../../src/services/analysis/engines/techniques/crf.ts';
import { createTechniquesEngine } from '../../../../../src/services/analysis/engines/techniques/engine.ts';
import { techniqueChance } from '../../../../../src/services/analysis/engines/techniques/listing.ts';
import {
  type FoundPassage,
  readCandidates,
  readPassages,
  readSentences,
  readTechniqueChance,
  type SentenceReader,
  type SentenceReadingWeights,
  techniqueChancesOf,
} from '../../../../../src/services/analysis/engines/techniques/sentence-readings.ts';
import { sentenceRanges, tokenise } from '../../../../../src/services/analysis/engines/techniques/tokens.ts';
import { createEncoder, shareEncoder } from '../../../../../src/text/encoder/encoder.ts';
import { DIMENSIONS } from '../../../../../src/text/encoder/layers.ts';
import { readEncoderParts } from '../../../../../src/text/encoder/parts.ts';
import { sentencesOf } from '../../../../../src/text/sentences.ts';
import { loadTextClassifier } from '../../../../../src/text/text-classifier.ts';

const text = 'They are rats. The council meets on Monday. Wake up before it is too late!';

/** Names rats an insult and waking up a matter of time, each with 0.8. */
const reader: SentenceReader = {
  classify: (sentence) => {
    const named = /rats/.test(sentence)
      ? { name_calling_labeling: 0.8 }
      : /Wake/.test(sentence)
        ? { appeal_to_time: 0.8 }
        : {};
    const all = Object.values(named).reduce((sum, one) => sum + one, 0.05);
    const shares = { doubt: 0.05, ...named, none: 1 - all };
    return { label: '', confidence: 0, labels: [], shares };
  },
};

/** An encoding of the first sentences, with log-odds by the layer for whole texts. */
function encodingOf(count: number, whole?: readonly number[]): TextEncoding {
  const sentences = sentencesOf(text).slice(0, count);
  return {
    bounds: Uint32Array.from(sentences.flatMap(({ start, end }) => [start, end])),
    vectors: new Float32Array(count * DIMENSIONS),
    ...(whole && { whole: Float32Array.from(whole) }),
  };
}

const tokens = tokenise(text);
const sentences = sentenceRanges(text, tokens);
function read(encoding: TextEncoding, attributed = new Uint8Array(tokens.length)) {
  return readSentences(reader, { text, language: 'en', tokens, sentences, encoding, attributed });
}

/** A chance is that of the sentence times the share of the technique. */
const weights: SentenceReadingWeights = {
  name: 'test',
  version: '1',
  any: { bias: 0, weights: [1, 0, 0, 0, 0], codes: {} },
  passage: {
    en: { bias: 0, weights: [1, 1, 0, 0, 0], codes: {} },
    ro: { bias: -9, weights: [0, 0, 0, 0, 0], codes: {} },
  },
  technique: { bias: 0, weights: [1, 0, 0], codes: {} },
  least_chance: 0.3,
  least_presence: 0,
};
const found = (code: string, sentence: number, weight: number, kept = 0): FoundPassage => ({
  kept,
  ...{ code, sentence, weight, confidence: 0.2, share: 1, from: sentences[sentence]?.from ?? 0 },
  ...{ to: (sentences[sentence]?.from ?? 0) + 1, anchor: 0, origin: 'rule' },
});

describe('reading sentences', () => {
  it('gives each sentence its log-odds and the shares of what is named', () => {
    const { inputs, shares } = read(encodingOf(3));
    expect(inputs[0]?.[0]).toBeCloseTo(logOddsOf(0.85), 6);
    expect(inputs[1]?.[0]).toBeCloseTo(logOddsOf(0.05), 6);
    expect(shares[2]?.appeal_to_time).toBeCloseTo(0.8 / 0.85, 6);
    expect(Object.keys(shares[2] ?? {})).not.toContain('none');
  });

  it('takes the other sentences for context, by the layer for whole texts, too', () => {
    const plain = read(encodingOf(3)).inputs;
    const loud = read(encodingOf(3, [3, 3, 3])).inputs;
    // Nothing read: an ordinary sentence on either side.
    expect(plain[1]?.slice(2, 4)).toEqual([-1, -1]);
    expect(loud[1]?.slice(2, 4)).toEqual([3, (3 + 3 - 2) / 4]);
    const unread = read(encodingOf(3, [3, Number.NaN, 3])).inputs;
    expect(unread[1]?.slice(2, 4)).toEqual([1, 1]);
  });

  it('tells how much of a sentence a named speaker says', () => {
    const attributed = new Uint8Array(tokens.length).fill(1, sentences[2]?.from, sentences[2]?.to);
    expect(read(encodingOf(3), attributed).inputs.map((one) => one?.[4])).toEqual([0, 0, 1]);
  });

  it('reads nothing where nothing was encoded', () => {
    const { inputs, shares } = read(encodingOf(1));
    expect(inputs.map((one) => one !== undefined)).toEqual([true, false, false]);
    expect(shares.slice(1)).toEqual([{}, {}]);
  });
});

describe('the list by readings', () => {
  const list = (items: FoundPassage[], encoding = encodingOf(3), factor = 1) =>
    readPassages({ found: items, mode: 'pieces', readings: read(encoding), sentences, factor }, weights);

  it('names what readers would, by whole sentences', () => {
    const passages = list([]);
    expect(passages.map(({ code, sentence }) => [sentence, code])).toEqual([
      [0, 'name_calling_labeling'],
      [2, 'appeal_to_time'],
    ]);
    expect(passages[0]).toMatchObject({ ...sentences[0], weight: 0 });
    expect(passages[0]?.confidence).toBeCloseTo(
      1 / (1 + Math.exp(-(logOddsOf(0.85) + Math.log(0.8 / 0.85)))),
      6,
    );
  });

  it('quotes the words that another stage found, once', () => {
    const passages = list([found('name_calling_labeling', 0, 0)]).filter(({ sentence }) => sentence === 0);
    expect(passages).toHaveLength(1);
    expect(passages[0]?.to).toBe(1);
  });

  it('holds all that counts, however small its chance', () => {
    expect(list([found('slogans', 1, 0.6)]).filter(({ code }) => code === 'slogans')).toHaveLength(1);
    expect(list([found('slogans', 1, 0)]).filter(({ code }) => code === 'slogans')).toEqual([]);
  });

  it('keeps the chance of what stands in sentences that were not read', () => {
    const [one] = list([found('slogans', 2, 0.6)], encodingOf(1)).filter(({ code }) => code === 'slogans');
    expect(one?.confidence).toBe(0.2);
  });

  it('keeps what other stages list themselves, with the higher chance', () => {
    const [slogan] = list([found('slogans', 1, 0, 0.2)]).filter(({ code }) => code === 'slogans');
    expect(slogan?.confidence).toBe(0.2);
    const [insult] = list([found('name_calling_labeling', 0, 0, 0.2)]);
    expect(insult?.confidence).toBeGreaterThan(0.5);
  });

  it('is shorter in a text that studies such words', () => {
    expect(list([], encodingOf(3), 0.3)).toEqual([]);
  });

  it('has a head for each language', () => {
    const readings = { ...read(encodingOf(3)), language: 'ro' as const };
    expect(readPassages({ found: [], mode: 'rules', readings, sentences, factor: 1 }, weights)).toEqual([]);
  });

  it('gives chances for every passage that could be listed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 3, maxLength: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (whole, weight) => {
          const input = {
            ...{ found: [found('doubt', 1, weight)], sentences, factor: 1 },
            mode: 'pieces' as const,
            readings: read(encodingOf(3, whole)),
          };
          for (const { inputs, from, to } of readCandidates(input, weights)) {
            expect(inputs.every(Number.isFinite)).toBe(true);
            expect(to).toBeGreaterThan(from);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('the chance of a technique by readings', () => {
  it('is at least that of its likeliest passage', () => {
    const one = { code: 'doubt', wordCount: 100, confidences: [0.2, 0.4] };
    expect(readTechniqueChance(one, weights)).toBeCloseTo(0.52, 4);
    const none = { ...weights, technique: { bias: -9, weights: [0, 0, 0], codes: {} } };
    expect(readTechniqueChance(one, none)).toBe(0.4);
  });

  it('is that of the other stages where they list the technique and give it more', () => {
    const one = { code: 'doubt', wordCount: 100, confidences: [0.5] };
    const none = { ...weights, technique: { bias: -9, weights: [0, 0, 0], codes: {} } };
    const kept = techniqueChancesOf([{ code: 'doubt', kept: 0.7 }], 'pieces', none)(one);
    expect(kept).toBe(techniqueChance({ ...one, confidences: [0.7] }, 'pieces'));
    expect(techniqueChancesOf([{ code: 'doubt', kept: 0 }], 'pieces', none)(one)).toBe(0.5);
  });
});

describe('the engine with the packaged reader', () => {
  const model = (file: string) => readFileSync(packageFile('models', file));
  const layers = { upper: model('techniques-upper.bin'), whole: model('text-upper.bin') };
  const encoder = createEncoder(shareEncoder({ ...readEncoderParts(model), ...layers }, 1), 0);
  const bytes = model('techniques.bin');
  const packaged = loadTextClassifier(model('technique-sentences.bin'));
  const engines = { plain: createTechniquesEngine(bytes), reading: createTechniquesEngine(bytes, packaged) };
  const analysed = (engine: keyof typeof engines, language: string, said: string) =>
    engines[engine].analyse(said, { language, encoding: encodingOfText(encoder, { text: said, language }) });

  const insinuating = [
    [
      'ro',
      'Primarul nostru se plimbă pe la Bruxelles în timp ce copiii noștri înoată în noroi până la școală. Ce fel de om doarme liniștit după așa ceva? Dacă nu ieșim acum în stradă, mâine nu va mai rămâne nimic din satul acesta.',
    ],
    [
      'en',
      'Ask yourself who gains when our farmers lose their land. The same gentlemen who sold us the railway now want the water. If we let them take the wells, next they will take the houses.',
    ],
  ] as const;

  it.each(insinuating)(
    'names what rules do not, with its sentence, and counts nothing of it (%s)',
    (language, said) => {
      expect(analysed('plain', language, said).techniques_detected).toEqual([]);
      const { techniques_detected: found, ...score } = analysed('reading', language, said);
      const codes = found.map(({ code }) => code);
      expect(codes).toContain('doubt');
      expect(codes).toContain('appeal_to_fear_prejudice');
      for (const { spans } of found)
        for (const { quote, weight } of spans) {
          expect(said).toContain(quote);
          expect(weight).toBe(0);
        }
      // The score is made of what counts.
      const without = analysed('plain', language, said);
      expect(score.manipulation_score).toBe(without.manipulation_score);
      expect(score.diffuse_evidence).toEqual(without.diffuse_evidence);
    },
  );

  it.each([
    [
      'ro',
      'Primăria a publicat ieri procesul-verbal al ședinței. Consilierii au votat repararea drumului spre școală cu 14 voturi pentru. Lucrările încep în mai și costă 240.000 de lei.',
    ],
    [
      'en',
      'The council published its minutes yesterday. Members voted to repair the road to the school by 14 votes to 3. Work starts in May and costs 48,000 pounds.',
    ],
  ])('names nothing in a report (%s)', (language, said) => {
    expect(analysed('reading', language, said).techniques_detected).toEqual([]);
  });

  it('answers as without a reader where nothing was encoded', () => {
    const [, said] = insinuating[0];
    expect(engines.reading.analyse(said, { language: 'ro' }).techniques_detected).toEqual([]);
  });
});
