// All text engines of ours against the sentence encoder that serves them, in one run: CPU for the same texts, and for texts of twice
// the length. Usage: npx tsx bench/text-models.bench.ts [rounds].
import { readFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import { createAiTextEngine } from '../src/services/analysis/engines/ai-text/engine.ts';
import { createArticleClassifier } from '../src/services/analysis/engines/articles/finding.ts';
import { createClaimsEngine } from '../src/services/analysis/engines/claims/engine.ts';
import { loadKnownClaims } from '../src/services/analysis/engines/claims/known-claims.ts';
import { loadNearClaims } from '../src/services/analysis/engines/claims/near-claims.ts';
import { createStarterClaims } from '../src/services/analysis/engines/claims/starter-claims.ts';
import { loadVectorHead } from '../src/services/analysis/engines/claims/vector-head.ts';
import { contextOf } from '../src/services/analysis/engines/context/context.ts';
import { parseText } from '../src/services/analysis/engines/context/parsed-text.ts';
import { createSubjectReader } from '../src/services/analysis/engines/context/subject.ts';
import { encodingOf } from '../src/services/analysis/engines/encoding/text-encoding.ts';
import { createTechniquesEngine } from '../src/services/analysis/engines/techniques/engine.ts';
import { shippedVerdictRules } from '../src/services/analysis/resources/verdict-rules.ts';
import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { readEncoderParts } from '../src/text/encoder/parts.ts';
import { loadLinear } from '../src/text/linear.ts';
import { loadTextClassifier } from '../src/text/text-classifier.ts';

const rounds = Number(process.argv[2] ?? '15');
/** Rounds before the measured ones, until the engines' code is compiled. */
const WARM_UP = 10;
const model = (file: string) => readFileSync(packageFile('models', file));
/** The encoder by itself is the measure; its further upper layers are text models. */
const alone = createEncoder(shareEncoder(readEncoderParts(model), 1), 0);
const encoder = createEncoder(
  shareEncoder(
    { ...readEncoderParts(model), upper: model('techniques-upper.bin'), whole: model('text-upper.bin') },
    1,
  ),
  0,
);
const techniques = createTechniquesEngine(
  model('techniques.bin'),
  loadTextClassifier(model('technique-sentences.bin')),
);
const starter = createStarterClaims();
const claims = createClaimsEngine(
  {
    words: loadLinear(model('claims-words.bin')),
    cues: loadLinear(model('claims-cues.bin')),
    head: loadVectorHead(),
  },
  loadKnownClaims(starter),
  loadNearClaims(starter),
);
const readArticle = createArticleClassifier({
  articles: () => model('articles-en.bin'),
  headlines: { en: () => model('clickbait-en.bin'), ro: () => model('clickbait-ro.bin') },
});
const subjectOf = createSubjectReader({ topic: () => model('topic.bin'), genre: () => model('genre.bin') });
const aiText = createAiTextEngine(loadLinear(model('ai-text.bin')));

const paragraph =
  'The minister said on Tuesday that the new law would take effect in March, although several members of the commission had asked for a longer delay. ' +
  'According to the statistics office, prices rose by 4.2 percent last year. Critics call it a shameful betrayal of every family in the country. ' +
  'Nobody can deny that the old rules were hard to follow, and the courts will have to decide what they meant. ';

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
const median = (values: readonly number[]) =>
  values.toSorted((one, two) => one - two)[values.length >> 1] ?? 0;

const flags = { title: null, flags: [], satirical_source: false };
/** CPU of one new text, in ms: of the encoder by itself, and of all text models. */
function measure(times: number, round: number) {
  // Another text each round: nothing may be remembered.
  const text = `Minister tells of the new law ${round}\n\n${Array.from({ length: times }, (_, index) => `${index}${paragraph}`).join('\n')}`;
  const input = { text, language: 'en' };
  const encoded = cpuMs(() => void encodingOf(alone, input));
  const all = cpuMs(() => {
    const encoding = encodingOf(encoder, input);
    techniques.analyse(text, { language: 'en', encoding });
    claims.extract({ ...input, encoding });
    aiText.analyse(input);
    const reading = parseText({ ...input, ...flags, encoding });
    contextOf(reading, shippedVerdictRules.sensitive_topics, readArticle(reading), subjectOf(reading));
  });
  return { characters: text.length, encoded, all };
}

for (let round = 0; round < WARM_UP; round++) measure(8, -1 - round);
for (const times of [8, 16, 32]) {
  const rows = Array.from({ length: rounds }, (_, round) => measure(times, round));
  const [encoded, all] = [median(rows.map((row) => row.encoded)), median(rows.map((row) => row.all))];
  process.stdout.write(
    `${rows[0]?.characters} characters: encoder ${encoded.toFixed(0)} ms, all text models ${all.toFixed(0)} ms of CPU, ${(all / encoded).toFixed(2)} times\n`,
  );
}
