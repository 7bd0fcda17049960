import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadClaimReader } from '../../../../../src/services/brain/claims.ts';
import { readStarterRows } from '../../../../../src/services/web/evidence-index/starter.ts';

const FILE = join(import.meta.dirname, '..', '..', 'known-false', 'sentences.tsv');

it('knows debunked claims in many wordings, and takes no other sentence for one', () => {
  const reader = loadClaimReader();
  const known = readStarterRows().flatMap(({ id, claim, wordings }) =>
    (['en', 'ro'] as const).flatMap((language) =>
      [claim[language], ...wordings[language]].map((text) => ({ id, said: reader.read(text, language) })),
    ),
  );
  const sentences = readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t') as [id: string, language: 'en' | 'ro', text: string]);
  const outcomes = sentences.map(([id, language, text]) => {
    const said = reader.read(text, language);
    // What says the same shares words; comparing each with each would cost seconds.
    const near = known.filter(({ said: wording }) => wording.terms.some((term) => said.terms.includes(term)));
    const matched = near.filter(
      ({ said: wording }) => wording.hash === said.hash || reader.match(said, wording, 0).isSame,
    );
    return { id, text, matched: new Set(matched.map((one) => one.id)) };
  });
  const taken = outcomes.filter(({ id, matched }) => [...matched].some((one) => one !== id));
  expect(taken.map(({ text }) => text)).toEqual([]);
  expect(outcomes.filter(({ id, matched }) => matched.has(id)).length).toBeGreaterThanOrEqual(20);
});
