import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { AnalysisInput } from './inputs.ts';
import { UserError } from './user-error.ts';

/** The file in which a folder of results keeps what was done. */
const RECORD_FILE = 'limpede-batch.json';
/** Longest readable part of the name of a result, in characters. */
const LONGEST_SLUG = 48;

const entry = z.object({
  input: z.string(),
  /** The session that was accepted for the input. */
  session_id: z.string().nullable(),
  /** How often the input was sent; each time is a new session. */
  attempt: z.number(),
  status: z.enum(['accepted', 'completed', 'failed']),
  risk_score: z.number().nullable(),
  risk_category: z.string().nullable(),
  confidence: z.number().nullable(),
  /** Whether any check could say something of it; records of earlier versions do not tell. */
  judged: z.boolean().default(true),
  /** Whether what was drawn of it was written, too. */
  drawn: z.boolean().default(false),
  error: z.string().nullable(),
  files: z.array(z.string()),
});
/** What was done with one input. */
export type BatchEntry = z.infer<typeof entry>;

const record = z.object({ batch_id: z.string(), entries: z.record(z.string(), entry) });

/** What a folder of results knows of its inputs; every change is on disk before it returns. */
export interface BatchRecord {
  readonly folder: string;
  /** Undefined for an input that was never sent. */
  entryOf(input: AnalysisInput): BatchEntry | undefined;
  /** Whether the results of an input are there, with these files. */
  isFinished(input: AnalysisInput, files: readonly string[]): boolean;
  set(input: AnalysisInput, entry: BatchEntry): void;
  /** A key by which the platform knows an attempt again. */
  idempotencyKey(input: AnalysisInput, attempt: number): string;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const keyOf = ({ request }: AnalysisInput) => hashOf(JSON.stringify(request));

/** The name of the results of an input, without an ending: readable, and different for different inputs. */
export function resultName(input: AnalysisInput): string {
  const slug = input.name
    .replace(/^https?:\/\//i, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-|-$/g, '');
  return `${slug === '' ? 'input' : slug}-${keyOf(input).slice(0, 8)}`.toLowerCase();
}

function readRecord(path: string): z.infer<typeof record> {
  if (!existsSync(path)) return { batch_id: randomUUID(), entries: {} };
  try {
    return record.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new UserError(`${path} is damaged: remove it to begin anew`);
  }
}

/** Opens the record of a folder, which is made when it is not there. */
export function openBatchRecord(folder: string): BatchRecord {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, RECORD_FILE);
  const { batch_id, entries } = readRecord(path);
  const save = () => {
    // A reader, or a second run after a crash, sees the old record or the new one.
    writeFileSync(`${path}.new`, `${JSON.stringify({ batch_id, entries }, null, 2)}\n`);
    renameSync(`${path}.new`, path);
  };
  return {
    folder,
    entryOf: (input) => entries[keyOf(input)],
    isFinished: (input, files) => {
      const done = entries[keyOf(input)];
      return done?.status === 'completed' && files.every((file) => existsSync(join(folder, file)));
    },
    set: (input, done) => {
      entries[keyOf(input)] = done;
      save();
    },
    idempotencyKey: (input, attempt) => `limpede-batch-${hashOf(`${batch_id} ${keyOf(input)} ${attempt}`)}`,
  };
}
