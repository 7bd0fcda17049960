import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../training/evaluate/arguments.ts';
import {
  choiceFigures,
  figuresOf,
  type Labelled,
  manyLabelFigures,
  yesNoFigures,
} from '../../../training/evaluate/figures.ts';
import { isHeldBack, languageOf, parseRows } from '../../../training/evaluate/rows.ts';
import { tableOf } from '../../../training/evaluate/table.ts';
import { rowsLabelled, rowsWith } from '../../../training/evaluate/task.ts';
import { tasks } from '../../../training/evaluate/tasks.ts';

const read = (...given: string[]) => readArguments(given, ['ner', 'e2e'], 'rows');
const figureNamed = (figures: readonly { metric: string; value: number }[], metric: string) =>
  figures.find((figure) => figure.metric === metric)?.value;

describe('arguments of npm run evaluate', () => {
  it('are a file with its task, or nothing', () => {
    expect(read()).toMatchObject({ file: undefined, task: undefined, data: 'rows', json: false });
    expect(read('--test', 'a.jsonl', '--task', 'ner', '--most', '5')).toMatchObject({
      file: 'a.jsonl',
      task: 'ner',
      most: 5,
    });
  });

  it.each([
    [['--test', 'a.jsonl'], /needs --task, one of: ner, e2e/],
    [['--task', 'weather'], /no task weather/],
    [['--task', 'ner', '--most', 'all'], /number of rows/],
    [['--unknown'], /--unknown/],
  ])('%j say what is wrong', (given, message) => {
    expect(() => read(...given)).toThrow(message);
  });
});

describe('rows of a file', () => {
  const text = '{"id":"a","text":"one"}\r\n\n[1]\n{broken\n{"text":"două","lang":"ro-RO"}\n';

  it.each([
    ['plain', Buffer.from(text)],
    ['gzip', gzipSync(text)],
    ['with a byte order mark', Buffer.from(`\uFEFF${text}`)],
  ])('are read %s, and lines that are no objects are told', (_, bytes) => {
    const { rows, bad } = parseRows(bytes);
    expect(rows.map((row) => [row.text, languageOf(row)])).toEqual([
      ['one', 'en'],
      ['două', 'ro'],
    ]);
    expect(bad).toEqual([3, 4]);
  });

  it('without a field, or with a label that the model does not know, are left out and told', () => {
    const rows = [{ text: 'a', label: 'x' }, { label: 'x' }, { text: 'b', label: 'z' }, { text: 'c' }];
    const { read: kept, notes } = rowsWith(rows, ['text']);
    expect(notes).toEqual(['1 rows without text were left out']);
    const { known, notes: others } = rowsLabelled(kept, ['x']);
    expect(known.map(({ label }) => label)).toEqual(['x']);
    expect(others).toEqual(['rows with other labels were left out: z 1, (none) 1']);
  });

  it('are held back by their text: one in ten, whatever its case and marks', () => {
    const texts = Array.from({ length: 4000 }, (_, index) => `Sentence number ${index} of many.`);
    const share = texts.filter(isHeldBack).length / texts.length;
    expect(share).toBeGreaterThan(0.08);
    expect(share).toBeLessThan(0.12);
    for (const text of texts.slice(0, 50))
      expect(isHeldBack(`${text.toUpperCase()}!`)).toBe(isHeldBack(text));
  });
});

describe('figures', () => {
  const row = (truth: string, said: string, group = truth): Labelled => ({
    truth,
    said,
    confidence: 0.5,
    group,
  });

  it('of a choice stand beside the most frequent answer', () => {
    const rows = [row('a', 'a'), row('a', 'b'), row('a', 'a'), row('b', 'b')];
    const figures = choiceFigures('en', rows);
    expect(figureNamed(figures, 'accuracy')).toBe(0.75);
    // a: 2 of 3 found, nothing else called a; b: found, one wrong.
    expect(figureNamed(figures, 'macro F1')).toBeCloseTo((0.8 + 2 / 3) / 2);
    expect(figures[0]?.baseline).toEqual({ name: 'most frequent', value: 0.75 });
    // Said with 0.5, right in three of four.
    expect(figureNamed(figures, 'calibration error')).toBeCloseTo(0.25);
    const beside = figures.find(({ metric }) => metric === 'calibration error')?.baseline;
    expect(beside?.name).toBe('if all chances were right');
    // Of four rows at 0.5 each, 0, 1, 2, 3 or 4 are right: the mean gap is three sixteenths.
    expect(beside?.value).toBeCloseTo(3 / 16, 1);
  });

  it('of a yes or no are those at the threshold', () => {
    const scored = [0.9, 0.8, 0.3, 0.1].map((score, at) => ({ score, truth: at % 2 === 0, group: `${at}` }));
    const figures = yesNoFigures('en', scored, 0.5);
    expect(figureNamed(figures, 'F1')).toBeCloseTo(0.5);
    expect(figureNamed(figures, 'AUC')).toBeCloseTo(0.75);
    expect(figures[0]?.baseline?.value).toBeCloseTo(2 / 3);
  });

  it('of several labels leave out what nobody looked for', () => {
    const looked = new Set(['joy', 'fear']);
    const rows = [
      { group: '1', truth: new Set(['joy']), said: new Set(['joy', 'trust']), looked },
      { group: '2', truth: new Set(['fear']), said: new Set<string>(), looked },
    ];
    const figures = manyLabelFigures('en', rows, ['joy', 'fear', 'trust']);
    expect(figureNamed(figures, 'macro F1')).toBeCloseTo(0.5);
    expect(figureNamed(figures, 'micro F1')).toBeCloseTo(2 / 3);
  });

  it('have an interval by whole documents', () => {
    const rows = Array.from({ length: 40 }, (_, at) =>
      row(at < 20 ? 'a' : 'b', 'a', at < 20 ? 'one' : 'two'),
    );
    const [figure] = figuresOf('en', rows, {
      right: { of: (some) => some.filter(({ truth, said }) => truth === said).length / some.length },
    });
    // Two documents, one all right and one all wrong: a draw may hold either one twice.
    expect([figure?.value, figure?.low, figure?.high]).toEqual([0.5, 0, 1]);
  });

  it('of nothing are none', () => {
    expect(choiceFigures('en', [])).toEqual([]);
  });

  it('stand in a table, one a line', () => {
    const report = { figures: choiceFigures('en', [row('a', 'a')]), notes: [] };
    const lines = tableOf([{ task: 'langid', report }]).split('\n');
    expect(lines).toHaveLength(2 + report.figures.length);
    expect(lines[2]).toMatch(/^langid +en +1 +accuracy +1\.000 +1\.000 to 1\.000 +1\.000 most frequent$/);
  });
});

describe('tasks', () => {
  it('score rows as they come, with fields and labels that nobody knows', async () => {
    const { task } = (await tasks.langid?.()) ?? {};
    const rows = [
      { text: 'Aceasta este o propoziție scrisă în limba română.', label: 'ro', extra: { a: 1 } },
      { text: 'This sentence was written in the English language.', label: 'en' },
      { text: '   ', label: 'en' },
    ];
    const report = await task?.evaluate(rows);
    expect(figureNamed(report?.figures ?? [], 'accuracy')).toBe(1);
    expect(report?.notes).toEqual(['1 rows without text, label were left out']);
  });
});
