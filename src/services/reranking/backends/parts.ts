import { DEFAULT_PASSAGES, MOST_PASSAGES } from '../contract.ts';
import type { RerankTask } from './backend.ts';

/** A part of a document, and how many passages of it are wanted. */
export interface DocumentPart {
  readonly text: string;
  readonly mostPassages: number;
}

/** What was read of a part: its passages, and the tokens that were read. */
export interface PartReading<Passage> {
  readonly passages: readonly Passage[];
  readonly tokens: number;
}

/** Characters of a part: some tens of milliseconds of work, then the next caller has a turn. */
const PART = 4000;

/** Cuts a text into parts that a thread reads at once, where a sentence ends if one does, else between words. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + PART >= text.length ? text.length : start + cutOf(text.slice(start, start + PART));
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts.length === 0 ? [''] : parts;
}

/** Where a window ends that more text follows: in its second half, at the best place there is. */
function cutOf(window: string): number {
  const half = window.length / 2;
  for (const mark of ['\n', '. ', '! ', '? ', ' ']) {
    const place = window.lastIndexOf(mark) + mark.length;
    if (place > half) return place;
  }
  // Half a character at the end goes to the next part.
  const last = window.charCodeAt(window.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? window.length - 1 : window.length;
}

/** A part that waits to be read, and the document that it is of. */
export interface WaitingPart extends DocumentPart {
  readonly document: number;
}

/** Parts in their order, as many together as make one piece of work. */
export function piecesOfWork(parts: readonly WaitingPart[]): WaitingPart[][] {
  const pieces: WaitingPart[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    size += part.text.length;
    if (size > PART) {
      pieces.push([]);
      size = part.text.length;
    }
    pieces.at(-1)?.push(part);
  }
  return pieces;
}

/** The passages of each document, and the tokens of all. */
export interface Reading<Passage> {
  readonly documents: readonly (readonly Passage[])[];
  readonly tokens: number;
}

/**
 * Reads documents in pieces of work: the first part of each, then the next of those of which more passages are wanted, and so
 * on. `read` waits for the caller's turn.
 */
export async function readDocuments<Passage>(
  task: Pick<RerankTask, 'documents' | 'mostPassages'>,
  read: (parts: readonly DocumentPart[]) => Promise<readonly PartReading<Passage>[]>,
): Promise<Reading<Passage>> {
  const usual = Math.min(DEFAULT_PASSAGES, Math.floor(MOST_PASSAGES / task.documents.length));
  const most = task.mostPassages ?? usual;
  const texts = task.documents.map(partsOf);
  const documents = texts.map((): Passage[] => []);
  let tokens = 0;
  for (let turn = 0; ; turn++) {
    const waiting = texts.flatMap((parts, document) => {
      const text = parts[turn];
      const mostPassages = most - (documents[document]?.length ?? 0);
      return text === undefined || mostPassages <= 0 ? [] : [{ text, mostPassages, document }];
    });
    if (waiting.length === 0) return { documents, tokens };
    for (const piece of piecesOfWork(waiting)) {
      const parts = await read(piece.map(({ text, mostPassages }) => ({ text, mostPassages })));
      parts.forEach((part, index) => {
        documents[piece[index]?.document ?? 0]?.push(...part.passages);
        tokens += part.tokens;
      });
    }
  }
}
