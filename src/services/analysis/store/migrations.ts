/** The tables of the analysis service, in the order in which they came. A migration that was released never changes. */
export const migrations: Record<string, string> = {
  '0001_sessions': `
    create table analysis_session (
      session_id uuid primary key,
      user_id text not null,
      account text not null,
      user_email text,
      input_type text not null,
      input_text text,
      input_title text,
      input_url text,
      input_media_url text,
      input_hash text not null,
      input_language text,
      source_app text not null,
      plan_type smallint not null,
      user_flagged boolean not null,
      status text not null,
      error_code text,
      submission jsonb not null,
      plan jsonb not null,
      risk_score double precision,
      risk_category text,
      risk_level text,
      confidence double precision,
      confidence_level text,
      topic text,
      summary jsonb,
      revision integer not null default 1,
      idempotency_key text,
      request_hash text,
      lease_until timestamptz,
      owner text,
      cancel_requested_at timestamptz,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      completed_at timestamptz,
      deleted_at timestamptz,
      total_duration_ms integer
    );
    create index analysis_session_history on analysis_session (account, created_at desc) where deleted_at is null;
    create index analysis_session_open on analysis_session (account, created_at)
      where status in ('pending', 'processing', 'running');
    create index analysis_session_sightings on analysis_session (input_hash, created_at);
    create unique index analysis_session_idempotency on analysis_session (account, idempotency_key)
      where idempotency_key is not null;
    create table analysis_checkpoint (
      checkpoint_id bigint generated always as identity,
      session_id uuid not null references analysis_session on delete cascade,
      node text not null,
      input_hash text not null,
      content jsonb not null,
      created_at timestamptz not null default now(),
      primary key (session_id, node)
    );
  `,
  '0002_config_version': 'alter table analysis_session add column config_version bigint not null default 0',
  // Plans name their steps; checkpoints carry the versions under which they can be used. Those from before carry version
  // 0, which no release reads. Reasons from before were sentences: those that a plan gave become codes.
  '0003_versioned_checkpoints': `
    alter table analysis_checkpoint rename column node to step;
    alter table analysis_checkpoint add column config_version text not null default '';
    alter table analysis_checkpoint add column version integer not null default 0;
    update analysis_session set
      summary = summary - 'skipped' - 'degraded',
      plan = jsonb_build_object(
        'mediaType', plan->'mediaType', 'planType', plan->'planType', 'profile', plan->'profile',
        'steps', (select coalesce(jsonb_agg(each - 'node' || jsonb_build_object('name', each->'node') order by place), '[]')
          from jsonb_array_elements(plan->'nodes') with ordinality as steps (each, place)),
        'skipped', (select coalesce(jsonb_agg(case when jsonb_typeof(each->'reason') = 'object' then each
            else each || jsonb_build_object('reason', jsonb_build_object('values', '{}'::jsonb, 'code',
              case when each->>'component' = 'domain' and each->>'reason' like '%web address%'
                then 'no_web_address' else 'left_out_by_request' end)) end order by place), '[]')
          from jsonb_array_elements(plan->'skipped') with ordinality as skips (each, place)))
    where plan ? 'nodes';
  `,
  // Earlier plans were made when models could not be assigned.
  '0004_verdict_rules': `
    create table analysis_verdict_rules (
      version text primary key,
      rules jsonb not null,
      created_at timestamptz not null default now()
    );
    update analysis_session set plan = plan || '{"assignments": {}}' where not plan ? 'assignments';
  `,
  '0010_moderation': `
    create table moderation_entry (
      queue_id bigint generated always as identity primary key,
      session_id uuid not null unique references analysis_session on delete cascade,
      priority smallint not null check (priority between 1 and 5),
      enqueue_reason text not null,
      enqueue_meta jsonb not null,
      status text not null,
      assigned_to text,
      assigned_account text,
      assigned_at timestamptz,
      lease_until timestamptz,
      resolved_by text,
      resolved_at timestamptz,
      resolution_action text,
      created_at timestamptz not null default clock_timestamp(),
      queued_at timestamptz not null default clock_timestamp(),
      time_in_queue_ms bigint not null default 0,
      time_in_review_ms bigint not null default 0,
      version integer not null default 1
    );
    create index moderation_entry_next on moderation_entry (priority, created_at, queue_id) where status = 'pending';
    create index moderation_entry_lease on moderation_entry (lease_until) where status = 'in_review';
    create table moderation_activity (
      activity_id bigint generated always as identity primary key,
      queue_id bigint not null references moderation_entry on delete cascade,
      at timestamptz not null default clock_timestamp(),
      actor text not null,
      action text not null,
      previous_status text,
      status text not null,
      note text
    );
    create index moderation_activity_entry on moderation_activity (queue_id, activity_id);
    create table analysis_revision (
      session_id uuid not null references analysis_session on delete cascade,
      revision integer not null,
      content jsonb not null,
      actor text not null,
      reason text,
      created_at timestamptz not null default clock_timestamp(),
      primary key (session_id, revision)
    );
  `,
  '0005_access': `
    create table analysis_access (
      access_id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      actor text not null,
      roles text[] not null,
      action text not null,
      account text not null,
      session_id uuid,
      correlation_id text not null
    );
    create index analysis_access_account on analysis_access (account, at);
  `,
  '0020_keys': `
    create table extension_key (
      key_id uuid primary key default gen_random_uuid(),
      key_hash text not null unique,
      prefix text not null,
      label text not null,
      scopes text[] not null,
      owner_realm text not null,
      owner_subject text not null,
      owner_email text,
      plan_cap smallint,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz
    );
    create index extension_key_owner on extension_key (owner_realm, owner_subject, created_at desc);
  `,
  '0021_feedback': `
    create table session_feedback (
      session_id uuid not null references analysis_session on delete cascade,
      account text not null,
      target text not null,
      agree boolean not null,
      label text,
      comment text,
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp(),
      primary key (session_id, account, target)
    );
  `,
  // Statements that change a session insert its events. Sessions from before get the events of their end.
  '0030_progress': `
    create table analysis_progress (
      event_id bigint generated always as identity,
      session_id uuid not null references analysis_session on delete cascade,
      event text not null,
      data jsonb not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (session_id, event_id)
    );
    insert into analysis_progress (session_id, event, data, created_at)
      select session_id, 'verdict.final', jsonb_build_object('revision', revision, 'risk_score', risk_score,
        'risk_category', risk_category, 'risk_level', risk_level, 'confidence', confidence,
        'confidence_level', confidence_level), coalesce(completed_at, created_at)
      from analysis_session where status = 'completed' and deleted_at is null;
    insert into analysis_progress (session_id, event, data, created_at)
      select session_id, 'session.status', jsonb_build_object('status', status, 'error_code', error_code),
        coalesce(completed_at, created_at)
      from analysis_session where deleted_at is null;
  `,
  '0031_media': `
    create table media_object (
      media_id uuid primary key,
      account text not null,
      bucket text not null,
      object_key text not null,
      media_type text not null,
      mime_type text not null,
      file_name text,
      size_bytes bigint not null,
      sha256 text not null,
      created_at timestamptz not null default clock_timestamp(),
      unique (account, sha256),
      unique (bucket, object_key)
    );
  `,
  // An object without an owner is being stored, or is to be removed: after its time any process removes it.
  '0032_media_keeping': `
    alter table media_object
      add column width integer,
      add column height integer,
      add column duration_sec double precision,
      add column unread text,
      add column used_at timestamptz not null default clock_timestamp();
    create index media_object_used on media_object (used_at);
    create table media_unowned (
      bucket text not null,
      object_key text not null,
      account text not null,
      reserved_bytes bigint not null,
      leaving boolean not null default false,
      until timestamptz not null,
      primary key (bucket, object_key)
    );
    create index media_unowned_account on media_unowned (account);
    create index media_unowned_until on media_unowned (until);
    alter table analysis_session add column media_id uuid references media_object on delete set null;
    create index analysis_session_media on analysis_session (media_id) where media_id is not null;
    update analysis_session s set media_id = m.media_id from media_object m
      where s.account = m.account and s.deleted_at is null
        and s.input_media_url like '%/api/v3/media/file/' || m.bucket || '/' || m.object_key;
    create table analysis_secret (
      name text primary key,
      value text not null
    );
  `,
  '0050_history_order': `
    create index analysis_session_listed on analysis_session (account, created_at desc, session_id) where deleted_at is null;
    drop index analysis_session_history;
  `,
  '0060_step_holds': `
    create table analysis_step_hold (
      session_id uuid not null references analysis_session on delete cascade,
      step text not null,
      holder uuid not null,
      stored boolean not null default false,
      held_at timestamptz not null default clock_timestamp(),
      primary key (session_id, step)
    );
  `,
  // Pictures that an analysis drew belong to the medium that they show; hashes find the same picture again, of all users.
  '0056_pictures': `
    alter table media_object add column derived_from uuid references media_object on delete set null;
    create index media_object_derived on media_object (derived_from) where derived_from is not null;
    create table picture_hash (
      media_id uuid primary key references media_object on delete cascade,
      hash bit(256) not null,
      quality integer not null,
      bands integer[] not null
    );
    create index picture_hash_bands on picture_hash using gin (bands);
  `,
  '0073_access_at': 'create index analysis_access_at on analysis_access (at)',
  // A session about a page has several pictures; they go with the last session that shows them.
  '0067_session_pictures': `
    create table session_picture (
      session_id uuid not null references analysis_session on delete cascade,
      media_id uuid not null references media_object on delete cascade,
      primary key (session_id, media_id)
    );
    create index session_picture_media on session_picture (media_id);
  `,
  // Films are found by some of their moments, and compared by all their frames; packed, for they are read as a whole.
  '0078_films': `
    create table film_hash (
      media_id uuid primary key references media_object on delete cascade,
      frames bytea not null
    );
    create table film_moment (
      media_id uuid not null references film_hash on delete cascade,
      at_ms integer not null,
      hash bit(256) not null,
      bands integer[] not null,
      primary key (media_id, at_ms)
    );
    create index film_moment_bands on film_moment using gin (bands);
    create index media_object_sha256 on media_object (sha256);
  `,
  // Additions that wait in a list of the index are compared one by one by each look-up: seconds for a film.
  '0079_film_index': `
    alter index film_moment_bands set (fastupdate = off);
    alter index picture_hash_bands set (fastupdate = off);
  `,
  // A statement sees what was committed before it began, even where it has waited for a lock since. Each statement of such a
  // function sees what was committed before that, so one round trip can wait first and look then.
  '0090_fresh_reads': `
    create function analysis_lock_slots(accounts text[]) returns boolean language plpgsql as $$
    begin
      -- The number names the locks of slots; in one order, so that two never wait for each other.
      perform pg_advisory_xact_lock(1936486260, hash) from (
        select distinct hashtext(name) as hash from unnest(accounts) as name order by hash) as locks;
      return true;
    end $$;
    create function analysis_users_waiting(accounts text[], after bigint) returns setof text language plpgsql as $$
    begin
      return query select distinct session.account from analysis_session as session
        where session.account = any(accounts) and session.status = 'pending';
    end $$;
    create function analysis_open_sessions(accounts text[])
    returns table (account text, open bigint, pending bigint) language plpgsql as $$
    begin
      perform analysis_lock_slots(accounts);
      return query select session.account, count(*) filter (where session.status <> 'pending' and session.owner is null),
          count(*) filter (where session.status = 'pending')
        from analysis_session as session
        where session.account = any(accounts) and session.status in ('pending', 'processing', 'running')
        group by session.account;
    end $$;
    create function analysis_ended_steps(sessions uuid[])
    returns table (session_id uuid, step text, version integer, input_hash text) language plpgsql as $$
    begin
      return query select checkpoint.session_id, checkpoint.step, checkpoint.version, checkpoint.input_hash
        from analysis_checkpoint as checkpoint where checkpoint.session_id = any(sessions);
    end $$;
  `,
  // 0.5 was the default of the least confidence, and meant that all is listed. Since the value bounds weights, it would leave out what
  // counts less, and change scores. Sessions that hold it go on with what is the default now, and so does a value that staff had set back.
  '0091_former_least_confidence': `
    update analysis_session set plan = jsonb_set(plan, '{tuning,leastConfidence}', '0')
      where plan #> '{tuning,leastConfidence}' = '0.5';
    do $$
    begin
      if to_regclass('configuration_change') is null then return; end if;
      -- The number is the lock of changes: their versions have no gaps and no twins.
      perform pg_advisory_xact_lock(1668247142);
      insert into configuration_change (config_version, key, version, old, value, actor)
      select (select max(config_version) + 1 from configuration_change), key, version + 1, value, null, 'upgrade'
      from (select key, version, value from configuration_change where key = 'analysis.techniques.least_confidence'
        order by version desc limit 1) as last
      where value = '0.5';
    end $$;
  `,
};
