import { writeFileSync } from 'node:fs';
import { FeatureHasher, type Features, hashText } from '../src/text/features.ts';
import { stripDiacritics } from '../src/text/folding.ts';
import { identifyLanguage, LANGUAGE_BITS, languageFeatures } from '../src/text/language.ts';
import { type LinearHeader, loadLinear, saveLinear, softmax } from '../src/text/linear.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { tableOf } from './evaluate/table.ts';
import { task } from './evaluate/tasks/langid.ts';
import { type Example, rawMargins, trainLinear } from './logistic.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';

// Trains and scores models/language.bin: npx tsx training/language.ts [data folder]

interface Row {
  id: string;
  text: string;
  label: string;
}

const folder = process.argv[2] ?? DATA_FOLDER;
/** Languages identified by their script (src/text/language.ts), or with too few rows to learn. */
const byScript = new Set(['el', 'he', 'th', 'ml', 'ja', 'zh', 'ar', 'fa', 'eu', 'gl', 'ms']);
const rows = shuffled(readRows<Row>(folder, 'langid'), 1);
const held = rows.slice(0, Math.floor(rows.length / 10));
const training = rows.slice(held.length).filter((row) => !byScript.has(row.label));
const labels = [...new Set(training.map((row) => row.label))].sort();

const hasher = new FeatureHasher(LANGUAGE_BITS);
const features = (text: string): Features => languageFeatures(hasher, text);

function exampleOf(text: string, label: string): Example {
  const targets = Float32Array.from(labels, (other) => (other === label ? 1 : 0));
  return { features: features(text), targets, weight: 1 };
}

function examplesOf(row: Row): Example[] {
  const examples = [exampleOf(row.text, row.label)];
  // Much Romanian on the web is typed without diacritics.
  if (row.label === 'ro') examples.push(exampleOf(stripDiacritics(row.text), row.label));
  return examples;
}

const options = {
  labels: labels.length,
  bits: LANGUAGE_BITS,
  link: 'softmax' as const,
  epochs: 6,
  rate: 0.5,
  l2: 1e-5,
  seed: 7,
};
const trained = trainLinear(training.flatMap(examplesOf), options);

/** One training row in six, on which the temperature is chosen with weights that did not see it. */
const isTuning = ({ text }: Row) => (hashText(text.toLowerCase()) >>> 9) % 6 === 0;

/** The temperature with the least log loss. */
function bestTemperature(): number {
  const weights = trainLinear(training.filter((row) => !isTuning(row)).flatMap(examplesOf), options);
  const scored = training.filter(isTuning).map((row) => ({
    margins: rawMargins(weights, features(row.text), labels.length),
    label: labels.indexOf(row.label),
  }));
  const losses = Array.from({ length: 30 }, (_, step) => 0.3 + step * 0.05).map((temperature) => ({
    temperature,
    loss: scored.reduce(
      (sum, row) => sum - Math.log((softmax(row.margins, temperature)[row.label] ?? 0) + 1e-9),
      0,
    ),
  }));
  return losses.reduce((best, next) => (next.loss < best.loss ? next : best)).temperature;
}
const temperature = bestTemperature();

const header: LinearHeader = {
  name: 'limpede-language-2',
  version: '2.0.0',
  labels,
  bits: LANGUAGE_BITS,
  quantisation: 'int8',
  scales: [],
  bias: [...trained.bias],
  calibration: { link: 'softmax', temperature },
  thresholds: {},
  parameters: {},
};
const bytes = saveLinear(header, trained.weights);
writeFileSync('models/language.bin', bytes);
const { figures } = await task.evaluate(held.map((row) => ({ ...row })));
recordFigures({ task: 'langid', split: 'a random tenth that the shipped weights did not see', figures });
console.log(`${bytes.length} bytes, ${labels.length} languages, temperature ${temperature}`);
console.log(tableOf([{ task: 'langid', report: { figures, notes: [] } }]));
const model = loadLinear(bytes);
const answers = held.map(({ text, label }) => ({ label, code: identifyLanguage(model, text).code }));
const undetermined = answers.filter(({ code }) => code === 'und').length;
const wrong = answers.filter(({ code, label }) => code !== label && code !== 'und').length;
console.log(`undetermined ${undetermined}, wrong ${wrong}`);
