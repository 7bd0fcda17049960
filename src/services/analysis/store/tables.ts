import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { UnreadReason } from '../../../media/properties.ts';
import type { Degradation } from '../reasons.ts';
import type { SessionStatus } from '../resources/analysis-session.ts';
import type { EnqueueReason, ModerationStatus, ResolutionAction } from '../resources/moderation.ts';
import type { Omission } from '../session/outcome.ts';
import type { Plan, StepName } from '../session/plan.ts';
import type { RevisionContent } from '../session/revision.ts';
import type { Submission } from '../session/submission.ts';

type Json<Value> = ColumnType<Value, unknown, unknown>;

/** One analysis: what was asked, where it stands and, when final, the numbers that lists show. */
export interface SessionTable {
  session_id: string;
  user_id: string;
  /** Realm and subject: whose session it is. Subjects of two realms may be equal. */
  account: string;
  user_email: string | null;
  input_type: string;
  input_text: string | null;
  input_title: string | null;
  input_url: string | null;
  input_media_url: string | null;
  /** The stored medium that it is about. */
  media_id: Generated<string | null>;
  input_hash: string;
  input_language: string | null;
  source_app: string;
  plan_type: number;
  user_flagged: boolean;
  status: SessionStatus;
  error_code: string | null;
  submission: Json<Submission>;
  plan: Json<Plan>;
  risk_score: number | null;
  risk_category: string | null;
  risk_level: string | null;
  confidence: number | null;
  confidence_level: string | null;
  topic: string | null;
  summary: Json<SessionSummaryColumns> | null;
  revision: Generated<number>;
  idempotency_key: string | null;
  request_hash: string | null;
  /** The version of the configuration by which it runs. */
  config_version: Generated<number>;
  /** Set while a direct form runs in a process; no other process may take the session over before this time. */
  lease_until: Date | null;
  owner: string | null;
  cancel_requested_at: Date | null;
  created_at: Generated<Date>;
  started_at: Date | null;
  completed_at: Date | null;
  deleted_at: Date | null;
  total_duration_ms: number | null;
}

/** Lists of a final session that history shows; kept in one column because they are not searched by. */
export interface SessionSummaryColumns {
  components_run: string[];
  components_skipped: string[];
  skipped: readonly Omission[];
  degraded: readonly Degradation[];
}

/** What a finished step left: written once, read by everything after it. */
export interface CheckpointTable {
  checkpoint_id: Generated<number>;
  session_id: string;
  step: StepName;
  /** What the step was computed from. */
  input_hash: string;
  /** The configuration under which it was computed. */
  config_version: string;
  /** The version of the schema of `content`. */
  version: number;
  content: Json<unknown>;
  created_at: Generated<Date>;
}

/** Which delivery runs a step of a session that goes through the queues; removed with the end of the session. */
export interface StepLockTable {
  session_id: string;
  step: StepName;
  /** Names one run of the step. */
  holder: string;
  /** Whether its result is stored. */
  stored: Generated<boolean>;
  held_at: Generated<Date>;
}

/** A session that waits for a person, or had one. */
export interface ModerationEntryTable {
  queue_id: Generated<number>;
  session_id: string;
  priority: number;
  enqueue_reason: EnqueueReason;
  enqueue_meta: Json<{ reasons: readonly EnqueueReason[] }>;
  status: ModerationStatus;
  assigned_to: string | null;
  /** Realm and subject of the holder: names of two realms may be equal. */
  assigned_account: string | null;
  assigned_at: Date | null;
  lease_until: Date | null;
  resolved_by: string | null;
  resolved_at: Date | null;
  resolution_action: ResolutionAction | null;
  created_at: Generated<Date>;
  /** Since when it has waited, the last time. */
  queued_at: Generated<Date>;
  /** Milliseconds in which it waited and was reviewed, up to the last change. */
  time_in_queue_ms: Generated<number>;
  time_in_review_ms: Generated<number>;
  /** Raised by each change. */
  version: Generated<number>;
}

/** What happened to an entry; rows are only added. */
export interface ModerationActivityTable {
  activity_id: Generated<number>;
  queue_id: number;
  at: Generated<Date>;
  actor: string;
  action: string;
  previous_status: ModerationStatus | null;
  status: ModerationStatus;
  note: string | null;
}

/** The results of a corrected session, the automatic one first. */
export interface RevisionTable {
  session_id: string;
  revision: number;
  content: Json<RevisionContent>;
  actor: string;
  reason: string | null;
  created_at: Generated<Date>;
}

/** An access of staff to what belongs to another user. */
export interface AccessTable {
  access_id: Generated<number>;
  at: Generated<Date>;
  actor: string;
  roles: string[];
  action: string;
  account: string;
  session_id: string | null;
  correlation_id: string;
}

/** A key by which a browser extension acts for its owner. */
export interface ExtensionKeyTable {
  key_id: Generated<string>;
  /** SHA-256 of the key, hexadecimal; the key itself is stored nowhere. */
  key_hash: string;
  prefix: string;
  label: string;
  scopes: string[];
  owner_realm: string;
  owner_subject: string;
  /** As the token said with which the key was issued. */
  owner_email: string | null;
  plan_cap: number | null;
  created_at: Generated<Date>;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** The rules by which verdicts were made, by version: written once. */
export interface VerdictRulesTable {
  version: string;
  rules: Json<unknown>;
  created_at: Generated<Date>;
}

/** What a person thinks of a part of a session; the last word on each part stays. */
export interface FeedbackTable {
  session_id: string;
  /** Realm and subject of the person. */
  account: string;
  target: string;
  agree: boolean;
  label: string | null;
  comment: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** A step of the progress of a session; rows are only added, and erased with the content of their session. */
export interface ProgressTable {
  event_id: Generated<number>;
  session_id: string;
  event: string;
  data: Json<unknown>;
  created_at: Generated<Date>;
}

/** A picture, sound or video that a user has stored; its bytes are an object. */
export interface MediaTable {
  media_id: string;
  /** Realm and subject of the owner. */
  account: string;
  bucket: string;
  object_key: string;
  media_type: 'image' | 'audio' | 'video';
  mime_type: string;
  file_name: string | null;
  size_bytes: number;
  /** Hexadecimal. */
  sha256: string;
  width: number | null;
  height: number | null;
  duration_sec: number | null;
  /** Why the header of the file was not read; null when it was. */
  unread: UnreadReason | null;
  created_at: Generated<Date>;
  /** When it was last sent. */
  used_at: Generated<Date>;
  /** The medium that it shows something of, when an analysis drew it: it goes with that one. */
  derived_from: Generated<string | null>;
}

/** The perceptual hash of a picture that was analysed; removed with the picture. */
export interface PictureHashTable {
  media_id: string;
  /** 256 bits, written as zeros and ones. */
  hash: string;
  /** 0 to 100: how much there is to see. */
  quality: number;
  /** The 16 words of the hash, each with its number, by which near ones are found. */
  bands: number[];
}

/** The hashes of the frames of a film that was analysed; removed with the film. */
export interface FilmHashTable {
  media_id: string;
  /** Of each frame: milliseconds in 4 bytes, the lowest first, quality in one, the hash in 32. */
  frames: Uint8Array;
}

/** A moment of a film by which it is found. */
export interface FilmMomentTable {
  media_id: string;
  at_ms: number;
  /** 256 bits, written as zeros and ones. */
  hash: string;
  /** Words of the hash, each with its number. */
  bands: number[];
}

/** A picture that stands on the page which a session is about. */
export interface SessionPictureTable {
  session_id: string;
  media_id: string;
}

/** An object without an owner: it is being stored, or is to be removed. */
export interface UnownedObjectTable {
  bucket: string;
  object_key: string;
  /** Who sends it, or had it. */
  account: string;
  /** Bytes that are reserved for it while it is being stored. */
  reserved_bytes: number;
  /** It is to be removed and can no longer get an owner. */
  leaving: Generated<boolean>;
  /** After this time any process removes it; while it is being stored the time is moved on. */
  until: Date;
}

/** A secret of the installation, the same for all its processes. */
export interface SecretTable {
  name: string;
  value: string;
}

/** The tables of the analysis service. */
export interface AnalysisTables {
  media_object: MediaTable;
  media_unowned: UnownedObjectTable;
  picture_hash: PictureHashTable;
  film_hash: FilmHashTable;
  film_moment: FilmMomentTable;
  session_picture: SessionPictureTable;
  analysis_secret: SecretTable;
  session_feedback: FeedbackTable;
  extension_key: ExtensionKeyTable;
  analysis_progress: ProgressTable;
  moderation_entry: ModerationEntryTable;
  moderation_activity: ModerationActivityTable;
  analysis_revision: RevisionTable;
  analysis_verdict_rules: VerdictRulesTable;
  analysis_session: SessionTable;
  analysis_checkpoint: CheckpointTable;
  analysis_step_hold: StepLockTable;
  analysis_access: AccessTable;
}

/** Queries inside or outside a transaction. */
export type Queries = Kysely<AnalysisTables> | Transaction<AnalysisTables>;
