import type { Generated } from 'kysely';
import type { LocalizedText } from '../../../foundation/localized-text.ts';

/** What an operator imported under one name: a file, a feed, a list. */
export interface OriginTable {
  id: Generated<number>;
  operator: string;
  name: string;
  imported_at: Generated<Date>;
}

/** A page or file with its text. `key` is unique in its origin. */
export interface DocumentTable {
  id: Generated<number>;
  origin_id: number;
  key: string;
  /** Null for what has no address. */
  url: string | null;
  title: string;
  publisher: string | null;
  language: string;
  /** As the document says: a year, a month, a day or a time. */
  published_at: string | null;
  text: string;
  text_hash: string;
  /** Whether the text is all that the page says, or only words quoted from it. */
  whole: boolean;
  content_hash: string;
  imported_at: Generated<Date>;
}

/** A claim that a fact-checker reviewed. */
export interface ClaimTable {
  id: Generated<number>;
  origin_id: number;
  key: string;
  rating: string | null;
  rating_text: string | null;
  finding: LocalizedText | null;
  topic: string | null;
  content_hash: string;
  imported_at: Generated<Date>;
}

/** A review: the stance of a document towards a claim. */
export interface ReviewTable {
  claim_id: number;
  document_id: number;
  stance: string;
}

/** A part of a document, or a wording of a claim: what is searched. */
export interface PassageTable {
  id: Generated<number>;
  document_id: number | null;
  claim_id: number | null;
  text: string;
  language: string;
  words: number;
  /** Terms with their places, made by us and not by a dictionary of the database. */
  terms: string;
  /** 512 signed bytes; null until the encoder has read the passage. */
  vector: Buffer | null;
  /** The version of the index that brought the vector. */
  vector_revision: number | null;
  claimed_until: Date | null;
}

/** The number of passages that contain a term. */
export interface TermTable {
  term: string;
  passages: number;
}

/** Sums over the index; every writer locks the row, so that revisions are in order. */
export interface StateTable {
  id: number;
  revision: number;
  passages: number;
  words: number;
}

/** The tables of the evidence index. */
export interface EvidenceTables {
  evidence_origin: OriginTable;
  evidence_document: DocumentTable;
  evidence_claim: ClaimTable;
  evidence_review: ReviewTable;
  evidence_passage: PassageTable;
  evidence_term: TermTable;
  evidence_state: StateTable;
}

/** The migrations of the owner `web`. */
export const migrations: Record<string, string> = {
  '0001_evidence': `
    create table evidence_origin (
      id bigint generated always as identity primary key,
      operator text not null,
      name text not null,
      imported_at timestamptz not null default now(),
      unique (operator, name)
    );
    create table evidence_document (
      id bigint generated always as identity primary key,
      origin_id bigint not null references evidence_origin on delete cascade,
      key text not null,
      url text,
      title text not null,
      publisher text,
      language text not null,
      published_at text,
      text text not null,
      text_hash text not null,
      whole boolean not null,
      content_hash text not null,
      imported_at timestamptz not null default now(),
      unique (origin_id, key)
    );
    create table evidence_claim (
      id bigint generated always as identity primary key,
      origin_id bigint not null references evidence_origin on delete cascade,
      key text not null,
      rating text,
      rating_text text,
      finding jsonb,
      topic text,
      content_hash text not null,
      imported_at timestamptz not null default now(),
      unique (origin_id, key)
    );
    create table evidence_review (
      claim_id bigint not null references evidence_claim on delete cascade,
      document_id bigint not null references evidence_document on delete cascade,
      stance text not null,
      primary key (claim_id, document_id)
    );
    create index evidence_review_document on evidence_review (document_id);
    create table evidence_passage (
      id bigint generated always as identity primary key,
      document_id bigint references evidence_document on delete cascade,
      claim_id bigint references evidence_claim on delete cascade,
      text text not null,
      language text not null,
      words integer not null,
      terms tsvector not null,
      vector bytea,
      vector_revision bigint,
      claimed_until timestamptz,
      check ((document_id is null) <> (claim_id is null))
    );
    -- Numbers of one byte each do not get smaller.
    alter table evidence_passage alter column vector set storage plain;
    create index evidence_passage_document on evidence_passage (document_id) where document_id is not null;
    create index evidence_passage_claim on evidence_passage (claim_id) where claim_id is not null;
    create index evidence_passage_terms on evidence_passage using gin (terms);
    create index evidence_passage_revision on evidence_passage (vector_revision, id) where vector_revision is not null;
    create index evidence_passage_waiting on evidence_passage (id) where vector is null;
    create table evidence_term (
      term text primary key,
      passages bigint not null
    );
    create table evidence_state (
      id integer primary key check (id = 1),
      revision bigint not null,
      passages bigint not null,
      words bigint not null
    );
    insert into evidence_state values (1, 0, 0, 0);
  `,
};
