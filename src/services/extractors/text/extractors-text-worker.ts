import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { createEncoder, type Encoder, shareEncoder } from '../../../text/encoder/encoder.ts';
import { readGloss } from '../../../text/encoder/gloss.ts';
import { readEncoderParts } from '../../../text/encoder/parts.ts';
import { encodeText } from '../../../text/encoder/passages.ts';
import { type EntityModel, loadEntityModel } from '../../../text/entities/entities.ts';
import { englishOrRomanian } from '../../../text/language.ts';
import { type LinearModel, loadLinear } from '../../../text/linear.ts';
import { Positions } from '../../../text/positions.ts';
import {
  loadTextClassifier,
  MOST_CHARACTERS,
  type TextClass,
  type TextClassifier,
} from '../../../text/text-classifier.ts';
import { loadVocabulary, type Vocabulary } from '../../../text/vocabulary.ts';
import type { NamedEntities, TextSentiment } from '../resources/text.ts';

type Language = NamedEntities['language'];

/** One text for a thread. */
export interface TextTask {
  readonly kind: 'names' | 'sentiment';
  readonly text: string;
  readonly language?: Language | undefined;
}

/** The result of a task. */
export type TextResult = Omit<NamedEntities, 'request_id'> | Omit<TextSentiment, 'request_id'>;

const weights = (name: string) => readFileSync(packageFile('models', name));
/** Makes a value when it is first needed, once for each language. */
function memoizeByLanguage<Value>(make: (language: Language) => Value): (language: Language) => Value {
  const made = new Map<Language, Value>();
  return (language) => {
    const value = made.get(language) ?? make(language);
    made.set(language, value);
    return value;
  };
}

let languages: LinearModel | undefined;
let vocabulary: Vocabulary | undefined;
function languageOf({ text, language }: TextTask): Language {
  if (language !== undefined) return language;
  languages ??= loadLinear(weights('language.bin'));
  return englishOrRomanian(languages, text);
}
const entityModelOf = memoizeByLanguage<EntityModel>((language) => {
  vocabulary ??= loadVocabulary(weights('vocabulary.bin'));
  const gloss = language === 'ro' ? readGloss(weights('gloss-ro.tsv').toString('utf8')) : undefined;
  return loadEntityModel(weights(`entities-${language}.bin`), { vocabulary, gloss });
});
const sentimentModelOf = memoizeByLanguage<TextClassifier>((language) =>
  loadTextClassifier(weights(`sentiment-${language}.bin`)),
);
const emotionModelOf = memoizeByLanguage<TextClassifier>((language) =>
  loadTextClassifier(weights(`emotion-${language}.bin`)),
);

let encoder: Encoder | undefined;
/** Vector of as much of a text as its words are read; undefined where nothing can be read. */
function vectorOf(text: string, language: Language): Float32Array | undefined {
  encoder ??= createEncoder(shareEncoder(readEncoderParts(weights), 1), 0);
  return encodeText(encoder, text.slice(0, MOST_CHARACTERS), language).vector ?? undefined;
}

/** Emotions from their threshold on, the likeliest first. */
function emotions({ labels, shares }: TextClass): TextSentiment['emotions'] {
  return labels
    .map((label) => ({
      label: label as TextSentiment['emotions'][number]['label'],
      probability: shares[label] ?? 0,
    }))
    .sort((one, other) => other.probability - one.probability);
}

function namedEntities(text: string, language: Language): Omit<NamedEntities, 'request_id'> {
  const { name, version, find } = entityModelOf(language);
  const positions = new Positions(text);
  const entities = find(text).map(({ start, end, text: quote, kind, confidence, named }) => ({
    text: quote,
    kind,
    start: positions.codePoint(start),
    end: positions.codePoint(end),
    start_utf16: start,
    end_utf16: end,
    confidence,
    named,
  }));
  return { language, entities, engine: { model: name, version } };
}

function textSentiment(text: string, language: Language): Omit<TextSentiment, 'request_id'> {
  const { name, version, classify } = sentimentModelOf(language);
  const vector = vectorOf(text, language);
  const { label, confidence, shares } = classify(text, vector);
  const share = (of: TextSentiment['label']) => shares[of] ?? 0;
  const emotionModel = emotionModelOf(language);
  return {
    language,
    label: label as TextSentiment['label'],
    confidence,
    scores: { negative: share('negative'), neutral: share('neutral'), positive: share('positive') },
    emotions: emotions(emotionModel.classify(text, vector)),
    engine: { model: name, version },
    emotion_engine: { model: emotionModel.name, version: emotionModel.version },
  };
}

/** Analyses one text in this thread. */
export default function analyseText(task: TextTask): TextResult {
  const language = languageOf(task);
  return task.kind === 'names' ? namedEntities(task.text, language) : textSentiment(task.text, language);
}
