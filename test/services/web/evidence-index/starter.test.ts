import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/foundation/files.ts';
import { openEvidenceIndex } from '../../../../src/services/web/evidence-index/evidence-index.ts';
import { isEvidenceDecided } from '../../../../src/services/web/evidence-index/search.ts';
import {
  importStarterSet,
  readStarterRows,
  type StarterRow,
} from '../../../../src/services/web/evidence-index/starter.ts';
import { fold } from '../../../../src/text/folding.ts';
import { forEachEngine, silent } from '../../../foundation/database/engines.ts';
import { languageOf } from './packaged-encoder.ts';

const isRowDecided = ({ rating, sources }: StarterRow) => isEvidenceDecided(rating, sources);
const rows = readStarterRows();
const wordingsOf = (row: StarterRow) => [row.claim.en, ...row.wordings.en, row.claim.ro, ...row.wordings.ro];
const plain = (text: string) =>
  fold(text, 'strip')
    .text.replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
const repeated = (values: readonly string[]) =>
  values.filter((value, index) => values.indexOf(value) !== index);

describe('the shipped starter set', () => {
  it('has each id and each wording once', () => {
    expect(repeated(rows.map(({ id }) => id))).toEqual([]);
    expect(repeated(rows.flatMap(wordingsOf).map(plain))).toEqual([]);
  });

  it('writes Romanian with the comma below, and whole sentences', () => {
    expect(rows.filter((row) => /[şţŞŢ]/.test(JSON.stringify(row)))).toEqual([]);
    expect(rows.flatMap(wordingsOf).filter((text) => !/[.!?]$/.test(text))).toEqual([]);
  });

  it('names no source twice for a claim', () => {
    expect(rows.filter(({ sources }) => repeated(sources.map(({ url }) => url)).length > 0)).toEqual([]);
  });

  it('says in its README how many of its claims decide', () => {
    const readme = packageFile('data', 'evidence', 'starter', 'README.md');
    const text = existsSync(readme) ? readFileSync(readme, 'utf8') : 'Decide: 0 of 0';
    expect(/^Decide: (\d+) of (\d+)/m.exec(text)?.slice(1).map(Number)).toEqual([
      rows.filter(isRowDecided).length,
      rows.length,
    ]);
  });
});

const source = (site: string, publisher: string, stance: 'refutes' | 'supports' | 'context') => ({
  title: 'A page',
  publisher,
  url: `https://${site}/page`,
  language: 'en',
  stance,
});
const row = (more: Partial<StarterRow> = {}): StarterRow => ({
  id: 'flat-earth',
  topic: 'space',
  claim: { en: 'The Earth is flat.', ro: 'Pământul este plat.' },
  wordings: {
    en: ['Our planet is a flat disc.', 'The globe is a lie.'],
    ro: ['Planeta noastră este un disc plat.', 'Pământul nu e rotund.'],
  },
  finding: {
    en: 'The shape of the Earth has been measured in many independent ways.',
    ro: 'Forma Pământului a fost măsurată în multe feluri independente.',
  },
  rating: 'false',
  sources: [source('one.example', 'One', 'refutes'), source('two.example', 'Two', 'refutes')],
  ...more,
});

describe('a claim decides', () => {
  it.each<[string, Partial<StarterRow>, boolean]>([
    ['when two independent sources refute it', {}, true],
    ['with one source', { sources: [source('one.example', 'One', 'refutes')] }, false],
    [
      'with two pages of one site',
      { sources: [source('a.one.example', 'One', 'refutes'), source('b.one.example', 'Two', 'refutes')] },
      false,
    ],
    [
      'with two sites of one publisher',
      { sources: [source('one.example', 'One', 'refutes'), source('two.example', 'one ', 'refutes')] },
      false,
    ],
    [
      'with a source that only tells of it',
      { sources: [source('one.example', 'One', 'refutes'), source('two.example', 'Two', 'context')] },
      false,
    ],
    ['when its rating decides nothing', { rating: 'unproven' }, false],
    ['when the sources of a true claim refute it', { rating: 'true' }, false],
    [
      'with two sites under one private suffix',
      { sources: [source('one.github.io', 'One', 'refutes'), source('two.github.io', 'Two', 'refutes')] },
      true,
    ],
  ])('%s', (_name, more, expected) => {
    expect(isRowDecided(row(more))).toBe(expected);
  });
});

describe('reading a set', () => {
  const folder = mkdtempSync(join(tmpdir(), 'limpede-starter-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('refuses a row with a field that it does not know', () => {
    writeFileSync(join(folder, 'claims.jsonl'), `${JSON.stringify({ ...row(), decides: true })}\n`);
    expect(() => readStarterRows(folder)).toThrow(/decides/);
  });
});

forEachEngine((engine) => {
  it('comes into the index once, and a later edition replaces it', async () => {
    const encoder = { encode: async () => undefined };
    const index = await openEvidenceIndex({ database: engine.database(), encoder, languageOf, log: silent });
    const { signal } = new AbortController();
    await importStarterSet(index, [row()]);
    await importStarterSet(index, [row()]);
    expect(await index.list()).toMatchObject([{ operator: 'limpede', documents: 2, claims: 1 }]);
    const [hit] = await index.search('Pământul e plat', 5, signal);
    expect(hit?.review).toMatchObject({ claim: 'Pământul este plat.', rating: 'false', decides: true });
    await importStarterSet(index, [
      row({ id: 'moon', claim: { en: 'The Moon is a hologram.', ro: 'Luna este o hologramă.' } }),
    ]);
    expect(await index.list()).toMatchObject([{ operator: 'limpede', documents: 2, claims: 1 }]);
    expect((await index.search('Luna', 5, signal))[0]?.review?.claim_key).toBe('moon');
  });
});
