import { parseArgs } from 'node:util';

/** What the command is asked for. */
export interface EvaluateArguments {
  /** A file of rows to be scored; without one the rows that were held back are. */
  readonly file: string | undefined;
  /** Name of the task; without one all of them. */
  readonly task: string | undefined;
  /** Folder of the training rows. */
  readonly data: string;
  /** One JSON object in the place of a table. */
  readonly json: boolean;
  /** Rows that are scored at most. */
  readonly most: number;
  /** Keeps the figures of the held-back rows in models/figures.json, for those who have no rows. */
  readonly record: boolean;
}

/** How the command is called. */
export const USAGE = `npm run evaluate                                  all models on rows that were held back
npm run evaluate -- --task NAME                   one of them
npm run evaluate -- --test FILE --task NAME       a file of yours: JSON lines, plain or gzip, laid out like the training rows of NAME
npm run evaluate -- --test FILE --task e2e        whole texts: {id, text, lang, expected: {accept: [low, medium, high]}}
Further: --data FOLDER (training rows, default ../shared/data), --most N (rows), --json, --record (figures of held-back rows into models/figures.json)`;

/** Reads the arguments; throws a sentence that says what is wrong with them. */
export function readArguments(
  given: readonly string[],
  tasks: readonly string[],
  dataFolder: string,
): EvaluateArguments {
  const { values } = parseArgs({
    args: [...given],
    options: {
      test: { type: 'string' },
      task: { type: 'string' },
      data: { type: 'string' },
      most: { type: 'string' },
      json: { type: 'boolean' },
      record: { type: 'boolean' },
    },
  });
  const { test: file, task, data = dataFolder, json = false, record = false } = values;
  if (file !== undefined && task === undefined)
    throw new Error(`--test needs --task, one of: ${tasks.join(', ')}.`);
  if (task !== undefined && !tasks.includes(task))
    throw new Error(`There is no task ${task}; there are: ${tasks.join(', ')}.`);
  const most = values.most === undefined ? Number.POSITIVE_INFINITY : Number(values.most);
  if (!(most >= 1)) throw new Error('--most is a number of rows, 1 or more.');
  return { file, task, data, json, most, record };
}
