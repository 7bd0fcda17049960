import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../foundation/database/database.ts';
import { packageFile } from '../../../foundation/files.ts';
import type { Logger } from '../../../foundation/log.ts';
import { identifyLanguage } from '../../../text/language.ts';
import { loadLinear } from '../../../text/linear.ts';
import type { TextEncoder } from './encode.ts';
import { type EvidenceIndex, openEvidenceIndex } from './evidence-index.ts';
import { readStarterVectors, withShippedVectors } from './shipped-vectors.ts';
import { importStarterSet, readStarterRows } from './starter.ts';

/** The index, once its database answers: pages are fetched without it. */
export interface IndexAccess {
  /** Undefined until the database answered, or when the index is switched off. */
  current(): EvidenceIndex | undefined;
  /** Opens the index, brings the starter set in and encodes what waits, until the result is called. */
  begin(): () => Promise<void>;
  probe(signal: AbortSignal): Promise<void>;
}

/** What the index is opened with. */
export interface IndexOptions {
  readonly database: () => Promise<Database>;
  readonly encoder: TextEncoder;
  readonly starterSet: boolean;
  readonly log: Logger;
}

/** The pause before the database is tried again, in milliseconds. */
const RETRY_MS = 5_000;

/** Names the language of a text by the shipped model, which is read when it is first needed. */
function languageByModel(): (text: string) => string {
  let model: ReturnType<typeof loadLinear> | undefined;
  return (text) => {
    model ??= loadLinear(readFileSync(packageFile('models', 'language.bin')));
    return identifyLanguage(model, text).code;
  };
}

/** The index of a service that starts whether the database answers or not. */
export function createIndexAccess({ database, encoder, starterSet, log }: IndexOptions): IndexAccess {
  let index: EvidenceIndex | undefined;
  let problem = 'the database has not answered yet';
  const open = async () => {
    try {
      const opened = await openEvidenceIndex({
        database: await database(),
        encoder,
        ...(starterSet && { passageEncoder: withShippedVectors(encoder, readStarterVectors) }),
        languageOf: languageByModel(),
        log,
      });
      if (starterSet) await importStarterSet(opened, readStarterRows());
      index = opened;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== problem)
        log.warn({ err: error }, 'the evidence index could not be opened; it is tried again');
      problem = reason;
    }
  };
  return {
    current: () => index,
    begin() {
      const stopping = new AbortController();
      const { signal } = stopping;
      const work = async () => {
        while (index === undefined && !signal.aborted) {
          await open();
          if (index === undefined) await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
        }
        await index?.encode(signal);
      };
      const working = work();
      return async () => {
        stopping.abort();
        await working;
      };
    },
    probe: async (signal) => {
      if (index === undefined) throw new Error(problem);
      await index.probe(signal);
    },
  };
}
