import { readFileSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { packageFile } from '../../../../foundation/files.ts';
import { serveSharedThread } from '../../../../foundation/shared-threads.ts';
import {
  createEncoder,
  type EncodedSentence,
  type Encoder,
  shareEncoder,
} from '../../../../text/encoder/encoder.ts';
import { readEncoderParts } from '../../../../text/encoder/parts.ts';
import { loadVocabulary } from '../../../../text/vocabulary.ts';
import type { RankTask, WorkerResult } from './messages.ts';
import { matchPassages, prepareQuery } from './passage-matching.ts';

/** Passages whose vectors a thread keeps, 2 KiB each: the same ones are often ranked for one query after another. */
const KEPT_PASSAGES = 4096;

const model = (file: string) => readFileSync(packageFile('models', file));

/** The same encoder; what it encoded lately it knows. */
function remembering(encoder: Encoder): Encoder {
  const known = new LRUCache<string, EncodedSentence>({ max: KEPT_PASSAGES });
  const encode = (sentence: string, language: 'en' | 'ro') => {
    const key = `${language} ${sentence}`;
    const encoded = known.get(key) ?? encoder.encode([sentence], language)[0];
    if (encoded === undefined) return [];
    known.set(key, encoded);
    return [encoded];
  };
  return {
    ...encoder,
    encode: (sentences, language) =>
      sentences.flatMap((sentence) => encode(sentence, language ?? encoder.languageOf(sentence))),
  };
}

await serveSharedThread({
  load: (threadCount) => shareEncoder(readEncoderParts(model), threadCount),
  prepare: (shared, index) => {
    const encoder = remembering(createEncoder(shared, index));
    const tools = { encoder, gloss: shared.gloss, vocabulary: loadVocabulary(model('vocabulary.bin')) };
    return (task: RankTask): WorkerResult => {
      if (task.kind === 'query') return { kind: 'query', query: prepareQuery(tools, task.text) };
      const parts = task.parts.map((part) => matchPassages(tools, task.query, part.text, part.mostPassages));
      return { kind: 'parts', parts };
    };
  },
});
