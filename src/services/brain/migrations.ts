/** The tables, in the order in which they came. A migration that was released never changes. */
export const migrations = {
  '0001_facts': `
    create table brain_fact (
      fact_id uuid primary key,
      scope text not null,
      hash text not null,
      claim text not null,
      language text not null,
      terms text[] not null,
      vector bytea,
      pack jsonb not null,
      request jsonb not null,
      verdict jsonb,
      locked_by text,
      created_at timestamptz not null,
      checked_at timestamptz not null,
      next_check_at timestamptz not null,
      last_asked_at timestamptz not null,
      interval_hours real not null,
      hits integer not null,
      taken_until timestamptz,
      invalidated_at timestamptz
    );
    create unique index brain_fact_claim on brain_fact (scope, hash) where invalidated_at is null;
    create index brain_fact_hash on brain_fact (hash) where invalidated_at is null;
    create index brain_fact_terms on brain_fact using gin (terms);
    create index brain_fact_due on brain_fact (next_check_at) where invalidated_at is null and locked_by is null;
    create table brain_audit (
      at timestamptz not null,
      actor text not null,
      action text not null,
      fact_id uuid,
      reason text not null
    );
    create index brain_audit_actor on brain_audit (actor, at);
  `,
  '0002_kept_rows': `
    create index brain_audit_at on brain_audit (at);
    create index brain_fact_asked on brain_fact (last_asked_at);
  `,
};
