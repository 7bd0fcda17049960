import type { Figure, Report } from './figures.ts';

const number = (value: number) => (Number.isFinite(value) ? value.toFixed(3) : 'none');

function cellsOf(task: string, { part, metric, value, low, high, rows, baseline }: Figure): string[] {
  const interval = Number.isFinite(low) ? `${number(low)} to ${number(high)}` : '';
  const beside = baseline === null ? '' : `${number(baseline.value)} ${baseline.name}`;
  return [task, part, `${rows}`, metric, number(value), interval, beside];
}

const HEAD = ['task', 'rows of', 'rows', 'figure', 'value', '95 % interval', 'baseline'];

/** A table of figures, one a line, columns aligned. */
export function tableOf(reports: readonly { task: string; report: Report }[]): string {
  const lines = reports.flatMap(({ task, report }) => report.figures.map((figure) => cellsOf(task, figure)));
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const row = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [row(HEAD), rule, ...lines.map(row)].join('\n');
}
