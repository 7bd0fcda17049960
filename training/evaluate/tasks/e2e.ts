import { analyseText } from '../../judgement/analysis.ts';
import { bandOf } from '../../judgement/sets.ts';
import { type Figure, figuresOf, groupedBy } from '../figures.ts';
import { groupOf, type RawRow, textOf } from '../rows.ts';
import { rowsWith, type Task } from '../task.ts';

const BANDS = ['low', 'medium', 'high'];

/** The bands that a careful reader would accept; undefined where a row names none. */
function acceptedOf(row: RawRow): string[] | undefined {
  const expected = row.expected as { accept?: unknown } | undefined;
  const accept = expected?.accept;
  if (!Array.isArray(accept)) return undefined;
  const known = accept.map(String).filter((band) => BANDS.includes(band));
  return known.length === 0 ? undefined : known;
}

/** Always low, the best of the constant answers for most sets. */
const lowBaseline = (rows: readonly { accept: readonly string[] }[]): Figure['baseline'] => ({
  name: 'always low',
  value: rows.filter(({ accept }) => accept.includes('low')).length / rows.length,
});

/** Whole texts: whether the risk ends in a band that a careful reader would accept. */
export const task: Task = {
  evaluate: async (rows) => {
    const { read, notes } = rowsWith(rows, ['text']);
    const judged: { language: string; group: string; good: boolean; calmAbove: boolean; accept: string[] }[] =
      [];
    const misses: string[] = [];
    let without = 0;
    for (const { row, index } of read) {
      const accept = acceptedOf(row);
      if (accept === undefined) {
        without += 1;
        continue;
      }
      const text = String(row.text);
      const { verdict } = await analyseText(text, textOf(row, 'lang'));
      const risk = verdict.risk_score ?? 0;
      const good = accept.includes(bandOf(risk));
      const isCalm = accept.length === 1 && accept[0] === 'low';
      const [language, group] = [textOf(row, 'lang') ?? 'unnamed', groupOf(row, index)];
      judged.push({ language, group, good, calmAbove: isCalm && bandOf(risk) !== 'low', accept });
      if (!good)
        misses.push(
          `miss ${group} ${language}: risk ${risk} is ${bandOf(risk)}, wanted ${accept.join(' or ')}: ${text.slice(0, 70).replace(/\s+/g, ' ')}`,
        );
    }
    const share =
      (of: (row: (typeof judged)[number]) => boolean) => (some: readonly (typeof judged)[number][]) =>
        some.filter(of).length / some.length;
    const parts = [['all', judged] as const, ...groupedBy(judged, ({ language }) => language)];
    const figures = parts.flatMap(([part, own]) =>
      figuresOf(part, own, {
        'right band': { of: share(({ good }) => good), baseline: lowBaseline(own) },
        'calm at 40 or more': { of: share(({ calmAbove }) => calmAbove) },
      }),
    );
    const told = without === 0 ? [] : [`${without} rows without expected.accept were left out`];
    return { figures, notes: [...notes, ...told, ...misses] };
  },
};
