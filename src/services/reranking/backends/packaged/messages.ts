import type { SharedThreads } from '../../../../foundation/shared-threads.ts';
import type { DocumentPart, PartResult } from '../document-parts.ts';
import type { PassageMatch, PreparedQuery } from './passage-matching.ts';

/** A query to be read, or parts of documents to be read for one. */
export type RankTask =
  | { readonly kind: 'query'; readonly text: string }
  | { readonly kind: 'parts'; readonly query: PreparedQuery; readonly parts: readonly DocumentPart[] };

/** What a thread makes of its task. */
export type WorkerResult =
  | { readonly kind: 'query'; readonly query: PreparedQuery }
  | { readonly kind: 'parts'; readonly parts: readonly PartResult<PassageMatch>[] };

/** The threads that read; they share one copy of the weights. */
export type RankingThreads = SharedThreads<RankTask, WorkerResult>;
