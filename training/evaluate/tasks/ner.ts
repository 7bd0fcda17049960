import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import { readGloss } from '../../../src/text/encoder/gloss.ts';
import { loadEntityModel } from '../../../src/text/entities/entities.ts';
import { loadVocabulary } from '../../../src/text/vocabulary.ts';
import { goldRuns, isNeverMisc } from '../../entities/rows.ts';
import type { Scored } from '../../metrics.ts';
import { calibrationOf, type Figure, figuresOf, groupedBy } from '../figures.ts';
import { groupOf, isHeldBack, languageOf, type RawRow, textOf } from '../rows.ts';
import type { Task } from '../task.ts';

/** A sentence with its true entities, and those that were said ("from to kind"). */
interface Tagged {
  readonly group: string;
  readonly source: string;
  readonly language: string;
  readonly truth: readonly string[];
  readonly said: readonly { readonly run: string; readonly confidence: number }[];
  /** Runs of words with a capital, each called a person: what a reader without a model would try first. */
  readonly capitals: readonly string[];
}

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const file = (name: string) => readFileSync(packageFile('models', name));

function capitalRuns(tokens: readonly string[]): string[] {
  const tags = tokens.map((token, at) => (at > 0 && /^\p{Lu}/u.test(token) ? 'I-PER' : 'O'));
  return goldRuns(tags);
}

function entityF1(rows: readonly Tagged[], saidOf: (row: Tagged) => readonly string[]): number {
  let [hits, sum] = [0, 0];
  for (const row of rows) {
    const truth = new Set(row.truth);
    const said = saidOf(row);
    hits += said.filter((run) => truth.has(run)).length;
    sum += said.length + truth.size;
  }
  return (2 * hits) / Math.max(1, sum);
}

function figuresFor(part: string, rows: readonly Tagged[]): Figure[] {
  const own = (row: Tagged) => row.said.map(({ run }) => run);
  const name = 'capitals are people';
  const baseline = { name, value: entityF1(rows, ({ capitals }) => capitals) };
  const kinds = ['person', 'organisation', 'place', 'other'].map((kind) => [
    `entity F1, ${kind}`,
    {
      of: (some: readonly Tagged[]) =>
        entityF1(
          some.map((row) => ({ ...row, truth: row.truth.filter((run) => run.endsWith(kind)) })),
          (row) => own(row).filter((run) => run.endsWith(kind)),
        ),
    },
  ]);
  return figuresOf(part, rows, {
    'entity F1': { of: (some) => entityF1(some, own), baseline },
    ...Object.fromEntries(kinds),
    'calibration error': calibrationOf(rows, chancesOf),
  });
}

const isRow = (row: RawRow) => {
  const [tokens, tags] = [strings(row.tokens), strings(row.tags)];
  return tokens.length > 0 && tokens.length === tags.length;
};

/** Each entity that was said, as a chance that came true or not. */
const chancesOf = (rows: readonly Tagged[]): Scored[] =>
  rows.flatMap(({ said, truth, group }) =>
    said.map(({ run, confidence }) => ({ score: confidence, truth: truth.includes(run), group })),
  );

/** Names of people, organisations, places and other things: exact spans with the right kind. */
export const task: Task = {
  heldBack: (row) => isHeldBack(strings(row.tokens).join(' ')),
  evaluate: async (rows) => {
    const vocabulary = loadVocabulary(file('vocabulary.bin'));
    const gloss = readGloss(file('gloss-ro.tsv').toString('utf8'));
    const models = new Map(
      ['en', 'ro'].map((code) => [
        code,
        loadEntityModel(file(`entities-${code}.bin`), { vocabulary, gloss }),
      ]),
    );
    const fit = rows.filter((row) => isRow(row) && models.has(languageOf(row)));
    const tagged = fit.map((row, index): Tagged => {
      const [tokens, tags] = [strings(row.tokens), strings(row.tags)];
      const source = textOf(row, 'source') ?? '';
      const said = models.get(languageOf(row))?.tag(tokens) ?? [];
      return {
        group: groupOf(row, index),
        source,
        language: languageOf(row),
        truth: goldRuns(tags),
        said: said
          .filter(({ kind }) => !isNeverMisc(kind, source))
          .map(({ from, to, kind, confidence }) => ({ run: `${from} ${to} ${kind}`, confidence })),
        capitals: capitalRuns(tokens),
      };
    });
    const languages = [...groupedBy(tagged, ({ language }) => language)];
    const sources = [...groupedBy(tagged, ({ language, source }) => `${language}, ${source}`)];
    const figures = [
      ...languages.flatMap(([part, own]) => figuresFor(part, own)),
      ...sources.flatMap(([part, own]) => figuresFor(part, own).slice(0, 1)),
    ];
    const without = rows.length - fit.length;
    const told = `${without} rows were left out: no tokens with as many tags, or a language without a model`;
    const diagrams = languages.map(([code, own]) => ({
      file: `entities-${code}`,
      title: `An entity that was named is one (${code})`,
      rows: chancesOf(own),
    }));
    return { figures, diagrams, notes: without === 0 ? [] : [told] };
  },
};
