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

/** What was found in a text, by what it was asked for. */
export type TextResult = Omit<NamedEntities, 'request_id'> | Omit<TextSentiment, 'request_id'>;

const weights = (name: string) => readFileSync(packageFile('models', name));
/** Makes a thing when it is first needed, once for each language. */
function once<Thing>(make: (language: Language) => Thing): (language: Language) => Thing {
  const made = new Map<Language, Thing>();
  return (language) => {
    const thing = made.get(language) ?? make(language);
    made.set(language, thing);
    return thing;
  };
}

let languages: LinearModel | undefined;
let vocabulary: Vocabulary | undefined;
function languageOf({ text, language }: TextTask): Language {
  if (language !== undefined) return language;
  languages ??= loadLinear(weights('language.bin'));
  return englishOrRomanian(languages, text);
}
const namesIn = once<EntityModel>((language) => {
  vocabulary ??= loadVocabulary(weights('vocabulary.bin'));
  const gloss = language === 'ro' ? readGloss(weights('gloss-ro.tsv').toString('utf8')) : undefined;
  return loadEntityModel(weights(`entities-${language}.bin`), { vocabulary, gloss });
});
const sentimentIn = once<TextClassifier>((language) =>
  loadTextClassifier(weights(`sentiment-${language}.bin`)),
);
const emotionsIn = once<TextClassifier>((language) => loadTextClassifier(weights(`emotion-${language}.bin`)));

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

function names(text: string, language: Language): Omit<NamedEntities, 'request_id'> {
  const { name, version, find } = namesIn(language);
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

function sentiment(text: string, language: Language): Omit<TextSentiment, 'request_id'> {
  const { name, version, classify } = sentimentIn(language);
  const vector = vectorOf(text, language);
  const { label, confidence, shares } = classify(text, vector);
  const share = (of: TextSentiment['label']) => shares[of] ?? 0;
  const voiced = emotionsIn(language);
  return {
    language,
    label: label as TextSentiment['label'],
    confidence,
    scores: { negative: share('negative'), neutral: share('neutral'), positive: share('positive') },
    emotions: emotions(voiced.classify(text, vector)),
    engine: { model: name, version },
    emotion_engine: { model: voiced.name, version: voiced.version },
  };
}

/** Reads one text in this thread. */
export default function readInThread(task: TextTask): TextResult {
  const language = languageOf(task);
  return task.kind === 'names' ? names(task.text, language) : sentiment(task.text, language);
}
