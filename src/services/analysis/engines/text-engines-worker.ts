import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { createEncoder, type Encoder, shareEncoder } from '../../../text/encoder/encoder.ts';
import { readParts } from '../../../text/encoder/parts.ts';
import { loadLinear } from '../../../text/linear.ts';
import { createAiTextEngine } from './ai-text/engine.ts';
import { createClaimsEngine } from './claims/engine.ts';
import { loadKnownClaims } from './claims/known-claims.ts';
import { contextOf } from './context/context.ts';
import { readText } from './context/reading.ts';
import { viralityOf } from './context/virality.ts';
import { encodingOf } from './encoding/text-encoding.ts';
import { createTechniquesEngine } from './techniques/engine.ts';
import type { EngineTasks } from './text-engines.ts';

const model = (file: string) => readFileSync(packageFile('models', file));

const techniquesEngine = createTechniquesEngine(model('techniques.bin'));
const claimsEngine = createClaimsEngine(
  { words: loadLinear(model('claims-words.bin')), cues: loadLinear(model('claims-cues.bin')) },
  loadKnownClaims(),
);
const aiTextEngine = createAiTextEngine(loadLinear(model('ai-text.bin')));

let encoder: Encoder | undefined;

/** What the sentence encoder says of a text; the first call of a thread loads it. */
export const encoding: EngineTasks['encoding'] = (input) => {
  encoder ??= createEncoder(shareEncoder(readParts(model), 1), 0);
  return encodingOf(encoder, input);
};

/** Manipulation techniques of a text. */
export const techniques: EngineTasks['techniques'] = ({ text, ...options }) =>
  techniquesEngine.analyse(text, options);

/** Claims of a text, none of them decided. */
export const claims: EngineTasks['claims'] = (input) => claimsEngine.extract(input);

/** Traces of machine writing in a text. */
export const aiText: EngineTasks['aiText'] = (input) => aiTextEngine.analyse(input);

/** Context and virality of a text: one reading serves both. */
export const context: EngineTasks['context'] = ({ mediaType, priorSightings, rules, ...input }) => {
  const reading = readText(input);
  const found = contextOf(reading, rules.sensitive_topics);
  const virality = viralityOf({
    text: { reading, topic: found.topic },
    mediaType,
    priorSightings,
    factors: rules.virality_factors,
  });
  return { context: found, virality };
};
