import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { packageFile } from '../../../foundation/files.ts';
import { type ClaimEntry, RATINGS, REVIEW_STANCES } from '../contract/evidence-index.ts';
import type { EvidenceIndex } from './evidence-index.ts';

/** The operator whose name the starter set bears: the product itself. */
export const STARTER_OPERATOR = 'limpede';
/** Rows of one import. */
const BATCH = 50;

const inBothLanguages = <Value extends z.ZodType>(value: Value) => z.strictObject({ en: value, ro: value });
const sentence = z.string().trim().min(10).max(300);
const date = z.string().regex(/^\d{4}(-\d\d(-\d\d)?)?$/);

/** The topics of the starter set. */
const TOPICS = [
  'health',
  'climate',
  'science',
  'space',
  'technology',
  'politics',
  'elections',
  'history',
  'war',
  'economy',
  'society',
  'romania',
] as const;

/** A row of the starter set. */
export const starterRow = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{3,60}$/),
  topic: z.enum(TOPICS),
  claim: inBothLanguages(sentence),
  wordings: inBothLanguages(z.array(sentence).min(2).max(24)),
  finding: inBothLanguages(z.string().trim().min(40).max(700)),
  rating: z.enum(RATINGS),
  sources: z.array(
    z.strictObject({
      title: z.string().trim().min(1).max(1000),
      publisher: z.string().trim().min(1).max(300),
      url: z.url({ protocol: /^https?$/ }).max(2048),
      language: z.string().regex(/^[a-z]{2}$/),
      published: date.optional(),
      stance: z.enum(REVIEW_STANCES),
      passage: z.string().trim().min(20).max(400).optional(),
    }),
  ),
});

/** A claim of the starter set. */
export type StarterRow = z.infer<typeof starterRow>;

const FOLDER = packageFile('data', 'evidence', 'starter');

/** The rows of the starter set, as they are shipped; none when there is no set. */
export function readStarterRows(folder: string = FOLDER): StarterRow[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  return files.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => starterRow.parse(JSON.parse(line))),
  );
}

function entryOf(row: StarterRow): ClaimEntry {
  const claims = (['en', 'ro'] as const).flatMap((language) =>
    [row.claim[language], ...row.wordings[language]].map((text) => ({ text, language })),
  );
  const reviews = row.sources.map(({ published, passage, ...source }) => ({
    ...source,
    published_at: published ?? null,
    passage: passage ?? null,
  }));
  const { rating, topic, finding } = row;
  return { kind: 'claim', key: row.id, claims, rating, rating_text: null, topic, finding, reviews };
}

/** Brings the shipped set into the index, and takes an earlier edition of it out. */
export async function importStarterSet(index: EvidenceIndex, rows: readonly StarterRow[]): Promise<void> {
  const edition = createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 8);
  const name = `starter set, edition ${edition}`;
  const origin = { operator: STARTER_OPERATOR, name };
  for (let from = 0; from < rows.length; from += BATCH)
    await index.store(origin, rows.slice(from, from + BATCH).map(entryOf));
  for (const { operator, origin: other } of await index.list())
    if (operator === STARTER_OPERATOR && other !== name) await index.remove({ operator, origin: other });
}
