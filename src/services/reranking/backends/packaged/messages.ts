import type { SharedThreads } from '../../../../foundation/shared-threads.ts';
import type { DocumentPart, PartReading } from '../parts.ts';
import type { PassageReading, ReadQuery } from './reading.ts';

/** A query to be read, or parts of documents to be read for one. */
export type WorkerTask =
  | { readonly kind: 'query'; readonly text: string }
  | { readonly kind: 'parts'; readonly query: ReadQuery; readonly parts: readonly DocumentPart[] };

/** What a thread makes of its task. */
export type WorkerResult =
  | { readonly kind: 'query'; readonly query: ReadQuery }
  | { readonly kind: 'parts'; readonly parts: readonly PartReading<PassageReading>[] };

/** The threads that read; they share one copy of the weights. */
export type ReadingThreads = SharedThreads<WorkerTask, WorkerResult>;
