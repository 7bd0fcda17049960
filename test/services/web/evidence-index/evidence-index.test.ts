import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ClaimEntry, DocumentEntry } from '../../../../src/services/web/contract/evidence-index.ts';
import { encodePending, type TextEncoder } from '../../../../src/services/web/evidence-index/encode.ts';
import {
  type EvidenceIndex,
  openEvidenceIndex,
} from '../../../../src/services/web/evidence-index/evidence-index.ts';
import type { EvidenceTables } from '../../../../src/services/web/evidence-index/tables.ts';
import { forEachEngine, silent, type TestEngine } from '../../../foundation/database/engines.ts';
import { languageOf, packagedEncoder } from './packaged-encoder.ts';

const ana = { operator: 'ana', name: 'library' };
const { signal } = new AbortController();
const never: TextEncoder = { encode: async () => undefined };

const page = (
  key: string,
  title: string,
  text: string,
  more: Partial<DocumentEntry> = {},
): DocumentEntry => ({
  kind: 'document',
  key,
  title,
  publisher: 'Library',
  language: null,
  published_at: '2024-03-05',
  url: `https://library.example/${key}`,
  text,
  ...more,
});

const library: DocumentEntry[] = [
  page(
    'bridge',
    'The bridge',
    'The bridge over the river was closed in May for repairs. Traffic goes through the old town.',
  ),
  page(
    'autism',
    'Vaccines and autism',
    'A study of 657,461 Danish children found no link between the measles vaccine and autism. Earlier papers were withdrawn.',
  ),
  page(
    'pensii',
    'Pensiile',
    'Pensiile au crescut cu 15 la sută la începutul anului, potrivit ministerului muncii.',
  ),
  page(
    'podul',
    'Podul',
    'Fluviul este traversat de un pod închis pentru reparații; șoferii ocolesc prin orașul vechi.',
  ),
];

const reviewed: ClaimEntry = {
  kind: 'claim',
  key: 'vaccines-autism',
  claims: [
    { text: 'Vaccines cause autism.', language: 'en' },
    { text: 'Vaccinurile provoacă autism.', language: 'ro' },
  ],
  rating: 'false',
  rating_text: 'False',
  topic: 'health',
  finding: { en: 'Large studies found no link.', ro: 'Studii ample nu au găsit nicio legătură.' },
  reviews: ['https://one.example/a', 'https://two.example/b'].map((url, index) => ({
    title: `Review ${index + 1}`,
    publisher: `Reviewer ${index + 1}`,
    url,
    language: 'en',
    published_at: null,
    stance: 'refutes',
    passage: index === 0 ? 'There is no link between vaccines and autism.' : null,
  })),
};

/** Terms with their passages as the index counts them, and as they really are. */
async function countedTerms(engine: TestEngine) {
  const tables = engine.database().kysely<EvidenceTables>();
  const stored = await tables.selectFrom('evidence_term').selectAll().orderBy('term').execute();
  const { sql } = await import('kysely');
  const { rows } = await sql<{ term: string; passages: number }>`
    select u.lexeme as term, count(*) as passages from evidence_passage p, unnest(p.terms) u group by 1 order by 1`.execute(
    tables,
  );
  const state = await tables.selectFrom('evidence_state').selectAll().executeTakeFirstOrThrow();
  const sums = await tables
    .selectFrom('evidence_passage')
    .select((expression) => [
      expression.fn.countAll<number>().as('passages'),
      expression.fn.sum<number>('words').as('words'),
    ])
    .executeTakeFirstOrThrow();
  return { stored, real: rows, state, sums };
}

forEachEngine((engine) => {
  let index: EvidenceIndex;
  let encoder: TextEncoder;
  const encodeAll = async () => {
    const tables = engine.database().kysely<EvidenceTables>();
    while ((await encodePending(tables, encoder, signal)) === 'more');
  };
  const titles = async (text: string, from = index) =>
    (await from.search(text, 5, signal)).map(({ document }) => document.title);

  beforeAll(async () => {
    encoder = packagedEncoder();
    index = await openEvidenceIndex({ database: engine.database(), encoder, languageOf, log: silent });
  });

  it('finds by words before the encoder has read anything', async () => {
    expect(await index.store(ana, library)).toEqual({ added: 4, changed: 0, unchanged: 0 });
    expect(await index.statistics()).toMatchObject({ documents: 4, claims: 0, passages_without_vector: 8 });
    const [first] = await index.search('Measles vaccines and autism in children', 5, signal);
    expect(first?.document).toMatchObject({
      title: 'Vaccines and autism',
      language: 'en',
      published_at: '2024-03-05',
    });
    expect(first?.similarity).toBeNull();
    expect(
      first?.passages.every((passage) =>
        [first.document.text, first.document.title].some((text) => text.includes(passage)),
      ),
    ).toBe(true);
  });

  it.each([
    ['pensiile au crescut', 'Pensiile'],
    ['Creşterea pensiei în acest an', 'Pensiile'],
    ['PENSIILOR', 'Pensiile'],
    ['the study of Danish kids', 'Vaccines and autism'],
    ['657.461 de copii', 'Vaccines and autism'],
  ])('reads %s with or without diacritics, in any form', async (question, title) => {
    expect((await titles(question))[0]).toBe(title);
  });

  it('finds by content across languages when the encoder has read everything', async () => {
    await encodeAll();
    expect(await index.statistics()).toMatchObject({ passages_without_vector: 0 });
    const found = await titles('Drivers take a detour because the bridge is closed for repairs');
    expect(found.slice(0, 2).sort()).toEqual(['Podul', 'The bridge']);
    const [first] = await index.search(
      'Nu există legătură între vaccinul împotriva rujeolei și autism',
      5,
      signal,
    );
    expect(first?.document.title).toBe('Vaccines and autism');
    expect(first?.similarity).toBeGreaterThan(0.4);
  });

  it('changes nothing when the same is imported again, and counts what each term stands in', async () => {
    const before = await countedTerms(engine);
    expect(await index.store(ana, library)).toEqual({ added: 0, changed: 0, unchanged: 4 });
    expect(await countedTerms(engine)).toEqual(before);
    expect(before.stored).toEqual(before.real);
    expect(before.state.passages).toBe(before.sums.passages);
    expect(before.state.words).toBe(Number(before.sums.words));
  });

  it('replaces what changed, and forgets the vectors of what is gone', async () => {
    const moved = page('bridge', 'The museum', 'The museum of bees opens in autumn.');
    expect(await index.store(ana, [moved])).toEqual({ added: 0, changed: 1, unchanged: 0 });
    await encodeAll();
    expect((await titles('Drivers take a detour because the bridge is closed for repairs'))[0]).toBe('Podul');
    expect((await titles('a museum about bees'))[0]).toBe('The museum');
    const { stored, real, state, sums } = await countedTerms(engine);
    expect(stored).toEqual(real);
    expect(state.passages).toBe(sums.passages);
    await index.store(ana, library);
    await encodeAll();
  });

  it('leads from a wording of a claim to what reviews it', async () => {
    await index.store({ operator: 'ana', name: 'reviews' }, [reviewed]);
    await encodeAll();
    const hits = await index.search('Oare vaccinurile provoacă autism?', 5, signal);
    const reviews = hits.filter(({ review }) => review !== null);
    expect(reviews.map(({ document }) => document.url)).toEqual([
      'https://one.example/a',
      'https://two.example/b',
    ]);
    expect(reviews[0]?.review).toMatchObject({
      claim: 'Vaccinurile provoacă autism.',
      wordings: expect.arrayContaining(['Vaccines cause autism.', 'Vaccinurile provoacă autism.']),
      claim_key: 'vaccines-autism',
      rating: 'false',
      stance: 'refutes',
      decides: true,
    });
    expect(reviews[0]?.document).toMatchObject({
      text: 'There is no link between vaccines and autism.',
      whole: false,
    });
    expect(reviews[1]?.document.text).toBe('Review 2');
  });

  it('keeps operators apart, and removes by origin or address', async () => {
    await index.store({ operator: 'ion', name: 'library' }, library.slice(0, 1));
    expect(await index.list()).toMatchObject([
      { operator: 'ana', origin: 'library', documents: 4, claims: 0 },
      { operator: 'ana', origin: 'reviews', documents: 2, claims: 1 },
      { operator: 'ion', origin: 'library', documents: 1, claims: 0 },
    ]);
    expect(await index.remove({ operator: 'ion', origin: 'reviews' })).toEqual({ documents: 0, claims: 0 });
    expect(await index.remove({ operator: 'ion', origin: 'library' })).toEqual({ documents: 1, claims: 0 });
    expect(await index.remove({ operator: 'ana', url: 'https://one.example/a' })).toEqual({
      documents: 1,
      claims: 0,
    });
    const [left] = await index.search('Vaccines cause autism.', 5, signal);
    expect(left?.review?.decides).toBe(false);
    expect(await index.remove({ operator: undefined, url: 'https://two.example/b' })).toEqual({
      documents: 1,
      claims: 1,
    });
    const { stored, real } = await countedTerms(engine);
    expect(stored).toEqual(real);
  });

  it('finds by words alone while the encoder is lost, and says so', async () => {
    const without = await openEvidenceIndex({
      database: engine.database(),
      encoder: never,
      languageOf,
      log: silent,
    });
    const [first] = await without.search('Pensiile au crescut', 5, signal);
    expect(first).toMatchObject({ similarity: null, document: { title: 'Pensiile' } });
    await without.store(ana, [page('late', 'Late', 'A late page about comets.')]);
    expect(await encodePending(engine.database().kysely<EvidenceTables>(), never, signal)).toBe('lost');
    expect(await index.statistics()).toMatchObject({ passages_without_vector: 2 });
    await encodeAll();
    expect(await index.statistics()).toMatchObject({ passages_without_vector: 0 });
  });

  it('keeps what is stored twice at the same time in order', async () => {
    const many = Array.from({ length: 6 }, (_, number) => [
      page(
        `twin-${number % 2}`,
        `Twin ${number}`,
        `Comet number ${number} was seen ${'again '.repeat(number)}.`,
      ),
    ]);
    await Promise.all(many.map((entries) => index.store(ana, entries)));
    const { stored, real, state, sums } = await countedTerms(engine);
    expect(stored).toEqual(real);
    expect(state.passages).toBe(sums.passages);
  });

  it.each([
    '',
    '?!',
    "'; drop table evidence_term; --",
    'the of and',
    "don't & | ! : * ( <-> )",
    '\u0000\ud800',
  ])('answers %j without an error', async (question) => {
    expect(Array.isArray(await index.search(question, 5, signal))).toBe(true);
  });

  it('names the text of each document by its hash', async () => {
    const [first] = await index.search('Pensiile au crescut', 1, signal);
    const squashed = first?.document.text.normalize('NFC').replace(/\s+/gu, ' ').trim() ?? '';
    expect(first?.document.text_hash).toBe(createHash('sha256').update(squashed).digest('hex'));
  });
});

describe('an empty index', () => {
  forEachEngine((engine) => {
    it('finds nothing', async () => {
      const index = await openEvidenceIndex({
        database: engine.database(),
        encoder: never,
        languageOf,
        log: silent,
      });
      expect(await index.search('anything', 5, signal)).toEqual([]);
      expect(await index.statistics()).toMatchObject({ documents: 0, passages: 0, revision: 0 });
    });
  });
});
