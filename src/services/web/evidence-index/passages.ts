import { sentencesOf } from '../../../text/sentences.ts';

/** A part of a text, verbatim, with its UTF-16 offsets. */
export interface DocumentPassage {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** As much as the encoder reads at once, in characters. */
const LONGEST_PASSAGE = 450;

/** A sentence, or its parts where it is longer than a passage; cut between words where there are any. */
function partsOf(text: string, start: number, end: number): { start: number; end: number }[] {
  const parts: { start: number; end: number }[] = [];
  let from = start;
  while (end - from > LONGEST_PASSAGE) {
    const space = text.lastIndexOf(' ', from + LONGEST_PASSAGE);
    const to = space > from ? space : from + LONGEST_PASSAGE;
    parts.push({ start: from, end: to });
    from = space > from ? space + 1 : to;
  }
  if (end > from) parts.push({ start: from, end });
  return parts;
}

/** Parts of a text for search: whole sentences, as many together as the encoder reads at once. */
export function splitDocument(text: string): DocumentPassage[] {
  const passages: { start: number; end: number }[] = [];
  for (const sentence of sentencesOf(text)) {
    for (const part of partsOf(text, sentence.start, sentence.end)) {
      const last = passages.at(-1);
      if (last !== undefined && part.end - last.start <= LONGEST_PASSAGE) last.end = part.end;
      else passages.push({ ...part });
    }
  }
  return passages.map(({ start, end }) => ({ start, end, text: text.slice(start, end) }));
}
