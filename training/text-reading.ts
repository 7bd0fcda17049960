/**
 * Fits models/text-reading.json and models/text-kernel.json: what words and vectors of whole texts say of whether they press their
 * reader, learned from the texts of many hands and scored on hands that they did not see (without the layer that reads whole texts,
 * which saw all of them). Usage: npx tsx training/text-reading.ts [data folder] [folder that keeps vectors] [--fit: no scores]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import { toPlainText } from '../src/services/analysis/engines/plain-text.ts';
import { createTechniquesEngine } from '../src/services/analysis/engines/techniques/engine.ts';
import { createTextKernelReader } from '../src/services/analysis/engines/techniques/text-kernel.ts';
import { wholeTextLogOdds, wordsBySentence } from '../src/services/analysis/engines/techniques/whole-text.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import { TfIdfModel } from '../src/text/term-weights.ts';
import { sentenceVectors, vectorIn } from './diffuse/vectors.ts';
import { areaUnderCurve, withInterval } from './metrics.ts';
import { isShort, type Row, readingRows } from './reading/rows.ts';
import { DATA_FOLDER } from './rows.ts';
import { fitTextKernel } from './terms/text-kernel.ts';

const [folder = DATA_FOLDER, cache = join(tmpdir(), 'limpede-vectors')] = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith('--'));
/** Short texts of one narrative or message count less than whole ones. */
const SHORT_COUNTS = 0.5;
const CHANCES = [0, 0.02, 0.05, 0.1];
const rows = readingRows(folder);

/** Rows with the vectors of their sentences, which are kept in a folder, those of a set and language in one file. */
const encoded = (() => {
  const cutUp = rows.map(({ text }) => sentencesOf(toPlainText(text).text));
  const vectors = new Map<number, Float32Array>();
  const fileOf = ({ set, lang }: Row) => `reading-${set.replace(/\W+/g, '-')}-${lang}`;
  for (const file of new Set(rows.map(fileOf))) {
    const places = [...rows.entries()].flatMap(([at, row]) => (fileOf(row) === file ? [at] : []));
    const lang = rows[places[0] ?? 0]?.lang ?? 'en';
    const quotes = places.map((at) => (cutUp[at] ?? []).map(({ text }) => text));
    sentenceVectors(cache, file, quotes, lang).forEach((all, at) => {
      vectors.set(places[at] ?? 0, all);
    });
  }
  return rows.map((row, at) => {
    const all = vectors.get(at) ?? new Float32Array(0);
    const sentences = cutUp[at] ?? [];
    const bounds = Uint32Array.from(sentences.flatMap(({ start, end }) => [start, end]));
    return { ...row, encoding: { bounds, vectors: all } };
  });
})();
type Read = (typeof encoded)[number];

const countOf = (row: Row) => (isShort(row) ? SHORT_COUNTS : 1);

const fit = (learned: readonly Read[]) =>
  fitTextKernel(
    learned.map((row) => ({
      text: toPlainText(row.text).text,
      lang: row.lang,
      truth: row.loud === true,
      weight: countOf(row),
      vectors: Array.from({ length: row.encoding.bounds.length / 2 }, (_, at) =>
        vectorIn(row.encoding.vectors, at),
      ),
    })),
  );

const engine = createTechniquesEngine(readFileSync(packageFile('models', 'techniques.bin')));

const known = encoded.filter(({ loud }) => loud !== null);

/** Log-odds of the texts of a hand, by a reading that saw nothing of it; the other signs are as shipped. */
function scoresWithout(hand: string) {
  const reading = fit(known.filter((row) => row.hand !== hand));
  const reader = new TfIdfModel(reading.words);
  const kernel = createTextKernelReader(reading.kernel);
  return known
    .filter((row) => row.hand === hand)
    .map((row) => {
      const signs = engine.signs(row.text, { language: row.lang, encoding: row.encoding });
      const words = wordsBySentence(
        signs.map(({ text }) => text),
        reader,
      );
      const read = signs.map((one, at) => ({ ...one, words: words[at] ?? 0 }));
      const vectors = signs.map(({ vector }) => vector);
      const score =
        signs.length === 0 ? -9 : wholeTextLogOdds(read, row.lang, { kernel: kernel(vectors, row.lang) });
      return { ...row, score, count: signs.length };
    });
}

const hands = process.argv.includes('--fit')
  ? []
  : [...new Set(rows.filter((row) => !isShort(row)).map(({ hand }) => hand))];
const scored = hands.flatMap(scoresWithout).filter((row) => row.count > 3 && !isShort(row));
/** Own registers and articles are one group. */
const groupOf = ({ hand }: Row) => (hand.startsWith('own') ? 'own' : hand);
for (const group of new Set(scored.map(groupOf)))
  for (const lang of ['en', 'ro'] as const) {
    const part = scored.filter((row) => groupOf(row) === group && row.lang === lang);
    if (part.length === 0) continue;
    const marked = part.map(({ score, loud }, at) => ({ score, truth: loud === true, group: String(at) }));
    const calm = marked.filter(({ truth }) => !truth).map(({ score }) => score);
    calm.sort((one, two) => two - one);
    const found = CHANCES.map((chance) => {
      const bound = calm[Math.min(calm.length - 1, Math.floor(chance * calm.length))] ?? 0;
      const loud = marked.filter(({ truth }) => truth);
      return (loud.filter(({ score }) => score > bound).length / loud.length).toFixed(2);
    });
    console.log(
      `${group}, ${lang}: ${part.length} texts; AUC ${withInterval(marked, areaUnderCurve)}; found where 0, 2, 5, 10 % of calm ones pass: ${found.join(' ')}`,
    );
  }
for (const set of new Set(scored.map((row) => `${row.set}, ${row.loud === true ? 'loud' : 'calm'}`))) {
  const part = scored.filter((row) => `${row.set}, ${row.loud === true ? 'loud' : 'calm'}` === set);
  const above = [0, 0.25, 0.5, 0.75, 1].map((bound) => part.filter(({ score }) => score > bound).length);
  console.log(`  ${set}: above 0, 0.25, 0.5, 0.75, 1: ${above.join(' ')} of ${part.length}`);
}
const { words, kernel } = fit(known);
writeFileSync('models/text-reading.json', `${JSON.stringify({ words })}\n`);
writeFileSync('models/text-kernel.json', `${JSON.stringify(kernel)}\n`);
