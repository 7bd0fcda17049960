import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';

/** Most entries of one request. */
export const MOST_ENTRIES = 100;
/** Longest text of one document, in characters: a long report. */
export const LONGEST_DOCUMENT = 1_000_000;
/** The role that may change the index. */
export const OPERATOR = 'operator';
/** 64 MiB: a hundred long documents. */
const BODY_LIMIT = 64 * 1024 * 1024;

const words = (most: number) => z.string().trim().min(1).max(most);
const language = z
  .string()
  .regex(/^[a-z]{2}$/)
  .nullable()
  .describe('ISO 639-1; null: found out.');
const day = z
  .string()
  .regex(/^\d{4}(-\d\d(-\d\d(T.+)?)?)?$/)
  .nullable()
  .describe('A year, a month, a day or a time, as far as it is known.');
const address = z.url({ protocol: /^https?$/ }).max(2048);

const about = {
  key: words(2100).describe('Tells the entry from the others of its origin; the same key later replaces it.'),
  title: words(1000),
  publisher: words(300).nullable(),
  language,
  published_at: day,
};

const documentEntry = z.strictObject({
  kind: z.literal('document'),
  ...about,
  url: address.nullable().describe('Null for a file.'),
  text: words(LONGEST_DOCUMENT),
});

const pageEntry = z.strictObject({
  kind: z.literal('page'),
  key: about.key,
  url: address.describe('Fetched and extracted by the service.'),
});

/** What a reviewer says of a claim. */
export const RATINGS = ['false', 'misleading', 'unproven', 'mixed', 'true'] as const;
/** What a document does to a claim. */
export const REVIEW_STANCES = ['refutes', 'supports', 'context'] as const;

const review = z.strictObject({
  title: words(1000),
  publisher: words(300).nullable(),
  url: address,
  language,
  published_at: day,
  stance: z.enum(REVIEW_STANCES),
  passage: words(20_000)
    .nullable()
    .describe('Words of the page, verbatim; null when only title and address are known.'),
});

const claimEntry = z.strictObject({
  kind: z.literal('claim'),
  key: about.key,
  claims: z
    .array(z.strictObject({ text: words(2000), language }))
    .min(1)
    .max(60)
    .describe('The claim and other wordings of it.'),
  rating: z.enum(RATINGS).nullable().describe('Null when the words of the rating are not understood.'),
  rating_text: words(300).nullable(),
  topic: words(100).nullable(),
  finding: z.strictObject({ en: words(2000), ro: words(2000) }).nullable(),
  reviews: z.array(review).max(20),
});

const entry = z
  .discriminatedUnion('kind', [documentEntry, pageEntry, claimEntry])
  .meta({ id: 'EvidenceEntry' });

/** Something to import. */
export type EvidenceEntry = z.output<typeof entry>;
/** A document to import. */
export type DocumentEntry = z.output<typeof documentEntry>;
/** A reviewed claim to import. */
export type ClaimEntry = z.output<typeof claimEntry>;

const origin = words(500).describe('What the entries come from: a file, a feed, a list.');

const stored = z.object({
  added: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  failed: z.array(z.object({ key: z.string(), reason: z.string() })),
});

/** What an import did. */
export type StoredEntries = z.infer<typeof stored>;

const statistics = z.object({
  documents: z.int(),
  claims: z.int(),
  passages: z.int(),
  passages_without_vector: z.int().describe('They are found by their words until the encoder has read them.'),
  bytes: z.int().describe('Size of the tables with their indexes.'),
  revision: z.int(),
});

/** The size of the index. */
export type IndexStatistics = z.infer<typeof statistics>;

const listedOrigin = z.object({
  operator: z.string(),
  origin: z.string(),
  imported_at: z.iso.datetime(),
  documents: z.int(),
  claims: z.int(),
});

/** What was imported under one name. */
export type ListedOrigin = z.infer<typeof listedOrigin>;

/** Import, list and removal of what the local index holds; for operators. */
export const evidenceIndexOperations = defineOperations({
  importEvidence: {
    method: 'POST',
    path: '/v1/evidence/entries',
    summary: 'Import documents and reviewed claims into the local index',
    access: { roles: [OPERATOR] },
    body: z.strictObject({ origin, entries: z.array(entry).min(1).max(MOST_ENTRIES) }),
    bodyLimit: BODY_LIMIT,
    answer: stored,
  },
  listEvidence: {
    method: 'GET',
    path: '/v1/evidence',
    summary: 'What was imported, and the size of the index',
    access: { roles: [OPERATOR] },
    answer: z.object({ origins: z.array(listedOrigin), statistics }),
  },
  removeEvidence: {
    method: 'POST',
    path: '/v1/evidence/remove',
    summary: 'Remove what came from an origin, or what has an address',
    access: { roles: [OPERATOR] },
    body: z
      .strictObject({ origin: origin.optional(), url: address.optional() })
      .refine((body) => (body.origin === undefined) !== (body.url === undefined), {
        path: ['origin'],
        error: 'one of origin and url is required',
      }),
    answer: z.object({ removed_documents: z.int(), removed_claims: z.int() }),
  },
});
