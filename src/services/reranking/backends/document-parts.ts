import { groupBySize } from '../../../foundation/model-service/group-by-size.ts';
import { DEFAULT_PASSAGES, MOST_PASSAGES } from '../contract.ts';
import type { RerankTask } from './backend.ts';

/** A part of a document, and the most passages to read of it. */
export interface DocumentPart {
  readonly text: string;
  readonly mostPassages: number;
}

/** The passages of a part, and the number of tokens that were read. */
export interface PartResult<Passage> {
  readonly passages: readonly Passage[];
  readonly tokens: number;
}

/** Characters of one part: some tens of milliseconds of work, so that callers take turns quickly. */
const PART_CHARACTERS = 4000;

/** Cuts a text into parts that a thread reads in one task: at ends of lines or sentences where possible, else between words. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end =
      start + PART_CHARACTERS >= text.length
        ? text.length
        : start + cutOf(text.slice(start, start + PART_CHARACTERS));
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts.length === 0 ? [''] : parts;
}

/** Where to cut a window that more text follows: in its second half, at the best boundary there. */
function cutOf(window: string): number {
  const half = window.length / 2;
  for (const mark of ['\n', '. ', '! ', '? ', ' ']) {
    const place = window.lastIndexOf(mark) + mark.length;
    if (place > half) return place;
  }
  // A surrogate pair is not split.
  const last = window.charCodeAt(window.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? window.length - 1 : window.length;
}

/** A part to read, with the index of its document. */
export interface WaitingPart extends DocumentPart {
  readonly document: number;
}

/** The waiting parts in groups, each a short task for one thread. */
export function partGroups(parts: readonly WaitingPart[]): WaitingPart[][] {
  return groupBySize(parts, ({ text }) => text.length, PART_CHARACTERS);
}

/** The passages of each document, and the tokens of all. */
export interface DocumentResults<Passage> {
  readonly documents: readonly (readonly Passage[])[];
  readonly tokens: number;
}

/**
 * Reads documents in rounds: the first part of each, then the next part of those that need more passages, and so on. `read` runs
 * one task and waits for the caller's turn.
 */
export async function readDocuments<Passage>(
  task: Pick<RerankTask, 'documents' | 'mostPassages'>,
  read: (parts: readonly DocumentPart[]) => Promise<readonly PartResult<Passage>[]>,
): Promise<DocumentResults<Passage>> {
  const usual = Math.min(DEFAULT_PASSAGES, Math.floor(MOST_PASSAGES / task.documents.length));
  const most = task.mostPassages ?? usual;
  const texts = task.documents.map(partsOf);
  const documents = texts.map((): Passage[] => []);
  let tokens = 0;
  for (let round = 0; ; round++) {
    const waiting = texts.flatMap((parts, document) => {
      const text = parts[round];
      const mostPassages = most - (documents[document]?.length ?? 0);
      return text === undefined || mostPassages <= 0 ? [] : [{ text, mostPassages, document }];
    });
    if (waiting.length === 0) return { documents, tokens };
    for (const group of partGroups(waiting)) {
      const parts = await read(group.map(({ text, mostPassages }) => ({ text, mostPassages })));
      parts.forEach((part, index) => {
        documents[group[index]?.document ?? 0]?.push(...part.passages);
        tokens += part.tokens;
      });
    }
  }
}
