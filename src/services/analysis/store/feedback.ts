import { type Selectable, sql } from 'kysely';
import type { FeedbackTable, Queries } from './tables.ts';

/** An opinion about to be stored. */
export type FeedbackEntry = Pick<
  FeedbackTable,
  'session_id' | 'account' | 'target' | 'agree' | 'label' | 'comment'
>;

/** An opinion as it is stored. `is_new`: it is the first of a person on a target, and replaced no other. */
export type StoredFeedback = Selectable<FeedbackTable> & { readonly is_new: boolean };

/** Stores an opinion in the place of an earlier one of the same person on the same target. */
export function storeFeedback(queries: Queries, opinion: FeedbackEntry): Promise<StoredFeedback> {
  const { agree, label, comment } = opinion;
  return (
    queries
      .insertInto('session_feedback')
      .values(opinion)
      .onConflict((conflict) =>
        conflict
          .columns(['session_id', 'account', 'target'])
          .doUpdateSet({ agree, label, comment, updated_at: sql<Date>`clock_timestamp()` }),
      )
      .returningAll()
      // No transaction has deleted or replaced a version of a row that was just inserted.
      .returning(sql<boolean>`xmax = 0`.as('is_new'))
      .executeTakeFirstOrThrow()
  );
}
