import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageFile } from '../foundation/files.ts';

const numberOrNull = z.number().nullable();

/** Figures that were recorded when models were made (models/figures.json). */
const recordedSchema = z.array(
  z.object({
    task: z.string(),
    split: z.string(),
    figures: z.array(
      z.object({
        part: z.string(),
        metric: z.string(),
        value: numberOrNull,
        low: numberOrNull,
        high: numberOrNull,
        rows: z.int(),
        baseline: z.object({ name: z.string(), value: z.number() }).nullable(),
      }),
    ),
  }),
);

/** The card of a model. */
interface Card {
  readonly file: string;
  readonly text: string;
}

/** Sections of cards that stand in the page as they are: what the models amount to together. */
const WHOLE = { file: 'whole-text.md', heading: '## Whole texts' };

const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** What stands after a bold heading in a card, up to the next one, on one line. */
function partOf({ text }: Card, name: string): string {
  const match = new RegExp(
    `\\*\\*${name}[.:]?\\*\\*[.:]?\\s*([\\s\\S]*?)(?=\\s\\*\\*|\\n\\n|\\n- |$)`,
    'u',
  ).exec(text);
  return (match?.[1] ?? '').replace(/\s+/gu, ' ').trim();
}

/** The first paragraph of a card without the places of code and weights. */
function purposeOf({ text }: Card): string {
  const [, paragraph = ''] = text.split(/\n{2,}/u);
  return paragraph
    .replace(/\s+/gu, ' ')
    .replace(/^\*\*What it does\.\*\* /u, '')
    .replace(/ ?\((?:`src[^)]*|`models[^)]*)\)/gu, '')
    .replace(/ (?:Weights|File): .*$/u, '')
    .trim();
}

const nameOf = ({ text }: Card) => (/^# (?:Model card: )?(.*)$/mu.exec(text)?.[1] ?? '').trim();

const number = (value: number | null) => (value === null ? 'none' : value.toFixed(3));

/** Parts that say what a piece of a model would be worth by itself: they stand in the cards. */
const isPiece = (part: string) => /words alone|vectors alone|cues/u.test(part);

function figureRows(recorded: z.infer<typeof recordedSchema>): string[] {
  return recorded.flatMap(({ task, split, figures }) => [
    `### ${task}`,
    '',
    `${split[0]?.toUpperCase()}${split.slice(1)}.`,
    '',
    row('Rows of', 'Rows', 'Figure', 'Value (95 % interval)', 'For comparison'),
    row('---', '---', '---', '---', '---'),
    ...figures
      .filter(({ part }) => !isPiece(part))
      .map(({ part, metric, value, low, high, rows, baseline }) =>
        row(
          part,
          String(rows),
          metric,
          `${number(value)} (${number(low)} to ${number(high)})`,
          baseline === null ? '' : `${number(baseline.value)} ${baseline.name}`,
        ),
      ),
    '',
  ]);
}

/** A section of a card from its heading to the next one. */
function sectionOf(cards: readonly Card[], { file, heading }: typeof WHOLE): string {
  const text = cards.find((card) => card.file === file)?.text ?? '';
  const start = text.indexOf(heading);
  if (start < 0) throw new Error(`models/${file} has no section "${heading}".`);
  const end = text.indexOf('\n## ', start + 1);
  return text.slice(start, end < 0 ? undefined : end).trim();
}

/** `docs/models.md` of the cards and the recorded figures. */
export function modelsPage(cards: readonly Card[], recorded: z.infer<typeof recordedSchema>): string {
  return [
    '# Models',
    '',
    'What each model says, how well it does, and what it cannot see. Details and data stand in the cards in `models/`; `npm run evaluate` measures again.',
    'This page is made by `./bin/limpede reference` of the cards and of `models/figures.json`; a test keeps it true.',
    '',
    row('Model', 'What it does'),
    row('---', '---'),
    ...cards.map((card) =>
      row(`[${nameOf(card)}](../models/${card.file})`, purposeOf(card).replaceAll('|', '\\|')),
    ),
    '',
    sectionOf(cards, WHOLE),
    '',
    '## Figures of each model',
    '',
    'Held-back rows and folds are told apart; figures of the parts of a model stand in its card.',
    '',
    ...figureRows(recorded),
    '## What they cannot see',
    '',
    ...cards.flatMap((card) => {
      const limits = partOf(card, 'Cannot see');
      return limits === '' ? [] : [`- **${nameOf(card)}**: ${limits}`];
    }),
    '',
  ].join('\n');
}

/** The page of the models that are shipped. */
export function shippedModelsPage(): string {
  const folder = packageFile('models');
  const cards = readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => ({ file, text: readFileSync(packageFile('models', file), 'utf8') }));
  const figures: unknown = JSON.parse(readFileSync(packageFile('models', 'figures.json'), 'utf8'));
  return modelsPage(cards, recordedSchema.parse(figures));
}
