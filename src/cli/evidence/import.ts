import { setTimeout as pause } from 'node:timers/promises';
import { type EvidenceEntry, MOST_ENTRIES } from '../../services/web/contract/evidence-index.ts';
import { answerOrThrow, type EvidenceConnection } from './access.ts';
import { plainName, readSource } from './sources.ts';

/** Text of one request, in characters. */
const BATCH_TEXT = 4_000_000;
/** Pages that the service fetches for one request. */
const BATCH_PAGES = 5;
/** How often vectors are asked for, and for how long without progress. */
const VECTORS_MS = { every: 500, patience: 60_000 };

const sizeOf = (entry: EvidenceEntry) => (entry.kind === 'document' ? entry.text.length : 0);

/** Entries in requests of a reasonable size. */
async function* batches(entries: AsyncIterable<EvidenceEntry>): AsyncGenerator<EvidenceEntry[]> {
  let batch: EvidenceEntry[] = [];
  let [text, pages] = [0, 0];
  for await (const entry of entries) {
    batch.push(entry);
    text += sizeOf(entry);
    pages += entry.kind === 'page' ? 1 : 0;
    if (batch.length < MOST_ENTRIES && text < BATCH_TEXT && pages < BATCH_PAGES) continue;
    yield batch;
    batch = [];
    [text, pages] = [0, 0];
  }
  if (batch.length > 0) yield batch;
}

/** What an import did, over all requests. */
export interface ImportSummary {
  added: number;
  changed: number;
  unchanged: number;
  failed: string[];
}

/** What is imported, and under which name. */
interface Import {
  readonly source: string;
  readonly origin: string;
  /** Names of files that earlier sources of the same call brought under this name; what is brought now is added. */
  readonly earlier: Set<string>;
}

/** Other imports of the same plain name: another folder, or this one before it was moved. */
export const namesakes = (origin: string, names: readonly string[]): string[] =>
  names.filter((name) => name !== origin && plainName(name) === plainName(origin));

/** Imports a file, a folder or what lies at an address, in requests of a reasonable size. */
export async function importSource(
  { client }: EvidenceConnection,
  { source, origin, earlier }: Import,
  allowed: readonly string[],
  say: (line: string) => void,
): Promise<ImportSummary> {
  const total: ImportSummary = { added: 0, changed: 0, unchanged: 0, failed: [] };
  async function* entries() {
    const own: string[] = [];
    for await (const read of readSource(source, allowed)) {
      if ('skipped' in read) total.failed.push(read.skipped);
      else if (read.entry.kind === 'document' && read.entry.url === null && earlier.has(read.entry.key))
        total.failed.push(
          `${read.entry.key}: ${origin} has one of this name already; import it under another`,
        );
      else {
        if (read.entry.kind === 'document' && read.entry.url === null) own.push(read.entry.key);
        yield read.entry;
      }
    }
    for (const key of own) earlier.add(key);
  }
  for await (const batch of batches(entries())) {
    const stored = await answerOrThrow((options) =>
      client.importEvidence({ body: { origin, entries: batch } }, options),
    );
    total.added += stored.added;
    total.changed += stored.changed;
    total.unchanged += stored.unchanged;
    total.failed.push(...stored.failed.map(({ key, reason }) => `${key}: ${reason}`));
    say(`${total.added + total.changed + total.unchanged} stored, ${total.failed.length} left out`);
  }
  return total;
}

/** Waits until the encoder has read everything; without progress it gives up, since search by words works already. */
export async function waitForVectors(
  { client }: EvidenceConnection,
  say: (line: string) => void,
): Promise<void> {
  let [last, since] = [Number.POSITIVE_INFINITY, Date.now()];
  for (;;) {
    const { statistics } = await answerOrThrow((options) => client.listEvidence({}, options));
    const left = statistics.passages_without_vector;
    if (left === 0) return;
    if (left < last) {
      say(`${left} passages wait for the encoder`);
      [last, since] = [left, Date.now()];
    } else if (Date.now() - since > VECTORS_MS.patience) {
      say(`${left} passages still wait for the encoder; they are found by their words meanwhile`);
      return;
    }
    await pause(VECTORS_MS.every);
  }
}
