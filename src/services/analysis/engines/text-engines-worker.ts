import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import type { EngineTasks } from './text-engines.ts';

// Each engine, with its code, rules and weights, is loaded at its first task: a thread starts at once, and does not load, or keep
// in memory, what is not used.

const model = (file: string) => readFileSync(packageFile('models', file));

/** Loads once, when it is first asked. */
function lazily<Engine>(load: () => Promise<Engine>): () => Promise<Engine> {
  let loading: Promise<Engine> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}

/** A task as a thread answers it. */
type Task<Name extends keyof EngineTasks> = (
  input: Parameters<EngineTasks[Name]>[0],
) => Promise<ReturnType<EngineTasks[Name]>>;

const loadEncoder = lazily(async () => {
  const [{ createEncoder, shareEncoder }, { readEncoderParts: readParts }, { encodeSentences }] =
    await Promise.all([
      import('../../../text/encoder/encoder.ts'),
      import('../../../text/encoder/parts.ts'),
      import('./encoding/text-encoding.ts'),
    ]);
  const parts = { ...readParts(model), upper: model('techniques-upper.bin'), whole: model('text-upper.bin') };
  const encoder = createEncoder(shareEncoder(parts, 1), 0);
  return { encode: (input: Parameters<EngineTasks['vectors']>[0]) => encodeSentences(encoder, input) };
});

const loadTechniques = lazily(async () => {
  const [{ createTechniquesEngine }, { loadTextClassifier }] = await Promise.all([
    import('./techniques/engine.ts'),
    import('../../../text/text-classifier.ts'),
  ]);
  return createTechniquesEngine(
    model('techniques.bin'),
    loadTextClassifier(model('technique-sentences.bin')),
  );
});

const loadClaims = lazily(async () => {
  const [
    { createClaimsEngine },
    { loadKnownClaims },
    { loadNearClaims },
    { createStarterClaims },
    { loadVectorHead },
    { loadLinear },
  ] = await Promise.all([
    import('./claims/engine.ts'),
    import('./claims/known-claims.ts'),
    import('./claims/near-claims.ts'),
    import('./claims/starter-claims.ts'),
    import('./claims/vector-head.ts'),
    import('../../../text/linear.ts'),
  ]);
  const weights = {
    words: loadLinear(model('claims-words.bin')),
    cues: loadLinear(model('claims-cues.bin')),
    head: loadVectorHead(),
  };
  const starter = createStarterClaims();
  return createClaimsEngine(weights, loadKnownClaims(starter), loadNearClaims(starter));
});

const loadAiText = lazily(async () => {
  const [{ createAiTextEngine }, { loadLinear }] = await Promise.all([
    import('./ai-text/engine.ts'),
    import('../../../text/linear.ts'),
  ]);
  return createAiTextEngine(loadLinear(model('ai-text.bin')));
});

const loadContext = lazily(async () => {
  const [{ createArticleClassifier }, { contextOf }, { parseText }, { createSubjectReader }, { viralityOf }] =
    await Promise.all([
      import('./articles/finding.ts'),
      import('./context/context.ts'),
      import('./context/parsed-text.ts'),
      import('./context/subject.ts'),
      import('./context/virality.ts'),
    ]);
  const classifyArticle = createArticleClassifier({
    articles: () => model('articles-en.bin'),
    headlines: { en: () => model('clickbait-en.bin'), ro: () => model('clickbait-ro.bin') },
  });
  const subjectOf = createSubjectReader({ topic: () => model('topic.bin'), genre: () => model('genre.bin') });
  return { contextOf, classifyArticle, parseText, subjectOf, viralityOf };
});

/** The sentences of a text that the sentence encoder takes. */
export const sentences: Task<'sentences'> = async (text) =>
  (await import('./encoding/text-encoding.ts')).encodableSentences(text);

/** Vectors and piece scores of sentences, by the sentence encoder. */
export const vectors: Task<'vectors'> = async (input) => (await loadEncoder()).encode(input);

/** Manipulation techniques of a text. */
export const techniques: Task<'techniques'> = async ({ text, ...options }) =>
  (await loadTechniques()).analyse(text, options);

/** Claims of a text, none of them decided. */
export const claims: Task<'claims'> = async (input) => (await loadClaims()).extract(input);

/** Traces of machine writing in a text. */
export const aiText: Task<'aiText'> = async (input) => (await loadAiText()).analyse(input);

/** Context and virality of a text: one reading serves both. */
export const context: Task<'context'> = async ({ mediaType, priorSightings, rules, ...input }) => {
  const { contextOf, classifyArticle, parseText, subjectOf, viralityOf } = await loadContext();
  const parsed = parseText(input);
  const contextResult = contextOf(parsed, rules.sensitive_topics, classifyArticle(parsed), subjectOf(parsed));
  const virality = viralityOf({
    text: { parsed, topic: contextResult.topic },
    mediaType,
    priorSightings,
    factors: rules.virality_factors,
  });
  return { context: contextResult, virality };
};
