/** Scores the shipped models: npm run evaluate -- --help. What it can score stands in training/evaluate/tasks.ts. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { type EvaluateArguments, readArguments, USAGE } from './evaluate/arguments.ts';
import type { Report } from './evaluate/figures.ts';
import { recordedFigures, recordFigures } from './evaluate/recorded.ts';
import { type RowFile, readRowFile } from './evaluate/rows.ts';
import { tableOf } from './evaluate/table.ts';
import { tasks } from './evaluate/tasks.ts';
import { DATA_FOLDER } from './rows.ts';

type Named = { readonly task: string; readonly report: Report };

const say = (line: string) => process.stdout.write(`${line}\n`);

async function measured(name: string, { rows, bad }: RowFile): Promise<Named> {
  const load = tasks[name];
  if (load === undefined) throw new Error(`There is no task ${name}.`);
  const { task } = await load();
  const report = await task.evaluate(rows);
  const lines = bad.length === 0 ? [] : [`lines that are no JSON objects: ${bad.slice(0, 20).join(', ')}`];
  return { task: name, report: { ...report, notes: [...lines, ...report.notes] } };
}

/** Rows that the shipped weights did not see; undefined where there are none of a task, or no training rows at all. */
async function heldBackRows(name: string, data: string): Promise<RowFile | undefined> {
  const load = tasks[name];
  const file = join(data, name, 'train.jsonl.gz');
  if (load === undefined || !existsSync(file)) return undefined;
  const { heldBack, further = () => [] } = (await load()).task;
  if (heldBack === undefined) return undefined;
  const { rows, bad } = readRowFile(file);
  const others = further((other) => readRowFile(join(data, other, 'train.jsonl.gz')).rows);
  return { rows: [...rows, ...others].filter(heldBack), bad };
}

const first = (file: RowFile, most: number): RowFile => ({ ...file, rows: file.rows.slice(0, most) });

/** Keeps figures and diagrams beside the weights. */
function keep({ task, report }: Named): void {
  recordFigures({ task, split: HELD_BACK, figures: report.figures });
  for (const { file, title, rows } of report.diagrams ?? [])
    writeFileSync(packageFile('models', `${file}.svg`), reliabilityDiagram(title, rows));
}

const HELD_BACK = 'held back: one row in ten, by its text, which the shipped weights did not see';

async function everything({ task, data, most, record }: EvaluateArguments): Promise<Named[]> {
  const names = task === undefined ? Object.keys(tasks) : [task];
  const found: Named[] = [];
  for (const name of names) {
    const rows = await heldBackRows(name, data);
    if (rows !== undefined) {
      const one = await measured(name, first(rows, most));
      found.push(one);
      if (record) keep(one);
    }
    const recorded = recordedFigures().filter((one) => one.task === name);
    for (const { split, figures } of recorded) {
      // What was just measured need not be printed from the record.
      if (rows !== undefined && split === HELD_BACK) continue;
      found.push({ task: name, report: { figures, notes: [`recorded when the model was made: ${split}`] } });
    }
  }
  return found;
}

function print(reports: readonly Named[], json: boolean): void {
  if (json) {
    say(
      JSON.stringify(
        reports.map(({ task, report: { figures, notes } }) => ({ task, figures, notes })),
        null,
        1,
      ),
    );
    return;
  }
  say(tableOf(reports));
  for (const { task, report } of reports) for (const note of report.notes) say(`${task}: ${note}`);
}

const given = process.argv.slice(2);
if (given.includes('--help')) say(USAGE);
else {
  try {
    const wanted = readArguments(given, Object.keys(tasks), DATA_FOLDER);
    const { file, task = '', most, json } = wanted;
    const reports =
      file === undefined ? await everything(wanted) : [await measured(task, first(readRowFile(file), most))];
    print(reports, json);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    process.exitCode = 1;
  }
}
