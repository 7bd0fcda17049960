/**
 * Trains and scores models/topic.bin and models/genre.bin: what a text is about, and of which kind it is, in English and Romanian.
 * Usage: npx tsx training/subjects.ts [data folder] [folder that keeps vectors] [--record]
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toPlainText } from '../src/services/analysis/engines/plain-text.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { meanDirection } from '../src/text/gaussian-kernel.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { sentenceVectors, vectorIn } from './diffuse/vectors.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { tableOf } from './evaluate/table.ts';
import { subjectReport } from './evaluate/tasks/subjects.ts';
import { DATA_FOLDER, shuffled } from './rows.ts';
import { type SubjectKind, subjectPlans, targetsOf, teaches } from './subjects/plans.ts';
import { type SubjectRow, subjectRows } from './subjects/rows.ts';
import { classifierBytes } from './texts/file.ts';
import { fitWhole } from './texts/fit-text.ts';
import { exampleOf, hasherOf } from './texts/fitting.ts';

const [folder = DATA_FOLDER, cache = join(tmpdir(), 'limpede-vectors')] = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith('--'));
const log = (line: string) => process.stdout.write(`${line}\n`);

/** The direction of each text: the mean of the vectors of its sentences, of length 1. */
function directionsOf(name: string, rows: readonly SubjectRow[]): Map<SubjectRow, Float32Array> {
  const directions = new Map<SubjectRow, Float32Array>();
  for (const language of ['en', 'ro'] as const) {
    const own = rows.filter((row) => row.language === language);
    const sentences = own.map(({ text }) => sentencesOf(toPlainText(text).text).map((one) => one.text));
    sentenceVectors(cache, `subjects-${name}-${language}`, sentences, language).forEach((all, at) => {
      const vectors = Array.from({ length: all.length / DIMENSIONS }, (_, index) => vectorIn(all, index));
      directions.set(own[at] as SubjectRow, Float32Array.from(meanDirection(vectors)));
    });
  }
  return directions;
}

const rows = shuffled(subjectRows('labels', folder), 5);
const directions = directionsOf('labels', rows);

function train(kind: SubjectKind): void {
  const plan = subjectPlans[kind];
  const hasher = hasherOf(plan);
  const examples = rows
    .filter((row) => teaches(kind, row))
    .map((row) =>
      exampleOf(
        hasher,
        toPlainText(row.text).text,
        directions.get(row) ?? new Float32Array(DIMENSIONS),
        targetsOf(kind, row),
        row.id,
        plan.characters,
      ),
    );
  const fitted = fitWhole(plan, examples);
  const bytes = classifierBytes(plan, fitted.parts, fitted);
  writeFileSync(`models/${plan.name}.bin`, bytes);
  log(`models/${plan.name}.bin: ${examples.length} rows, ${bytes.length} bytes`);
}

const SPLIT = 'labelled texts of writers who only judge, and published articles and pages';

for (const kind of ['topic', 'genre'] as const) {
  train(kind);
  const report = subjectReport(kind, subjectRows('judging', folder));
  log(tableOf([{ task: kind, report }]));
  if (!process.argv.includes('--record')) continue;
  recordFigures({ task: kind, split: SPLIT, figures: report.figures });
  for (const { file, title, rows: judged } of report.diagrams ?? [])
    writeFileSync(`models/${file}.svg`, reliabilityDiagram(title, judged));
}
