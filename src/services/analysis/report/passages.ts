import type { Span } from '../resources/finding.ts';

/** Kinds of findings that are marked in the text. */
export const PASSAGE_KINDS = ['technique', 'claim', 'indicator', 'context'] as const;
/** Kind of a finding. */
export type PassageKind = (typeof PASSAGE_KINDS)[number];

/** A finding with the places that show it. */
export interface FindingPassage {
  readonly kind: PassageKind;
  /** Its number in the report, such as T1. */
  readonly number: string;
  readonly name: string;
  readonly spans: readonly Pick<Span, 'start_utf16' | 'end_utf16' | 'quote'>[];
}

/** A stretch of the text under the same findings. */
export interface Segment {
  readonly text: string;
  readonly kinds: readonly PassageKind[];
  /** The findings whose passage ends with this stretch. */
  readonly ending: readonly FindingPassage[];
}

/** A place in UTF-16 units, half open. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly passage: FindingPassage;
}

/** The places of the findings, without those whose quote does not stand there. */
function placesIn(text: string, passages: readonly FindingPassage[]): Place[] {
  return passages.flatMap((passage) =>
    passage.spans
      .filter(({ start_utf16, end_utf16, quote }) => text.slice(start_utf16, end_utf16) === quote)
      .map(({ start_utf16, end_utf16 }) => ({ start: start_utf16, end: end_utf16, passage })),
  );
}

function groupedBy(places: readonly Place[], edgeOf: (place: Place) => number): Map<number, Place[]> {
  const groups = new Map<number, Place[]>();
  for (const place of places) {
    const group = groups.get(edgeOf(place)) ?? [];
    group.push(place);
    groups.set(edgeOf(place), group);
  }
  return groups;
}

/** Cuts a text where findings begin and end; the segments joined give the text again. Linear in text and places but for sorting. */
export function textSegments(text: string, passages: readonly FindingPassage[]): Segment[] {
  const places = placesIn(text, passages);
  const edges = [...new Set([0, text.length, ...places.flatMap(({ start, end }) => [start, end])])];
  edges.sort((one, two) => one - two);
  const starting = groupedBy(places, ({ start }) => start);
  const finishing = groupedBy(places, ({ end }) => end);
  const open = new Set<Place>();
  const segments: Segment[] = [];
  for (const [index, end] of edges.entries()) {
    if (index > 0) {
      const ending = (finishing.get(end) ?? []).map(({ passage }) => passage);
      const kinds = new Set([...open].map(({ passage }) => passage.kind));
      const ordered = PASSAGE_KINDS.filter((kind) => kinds.has(kind));
      segments.push({
        text: text.slice(edges[index - 1] ?? 0, end),
        kinds: ordered,
        ending: [...new Set(ending)],
      });
    }
    for (const place of finishing.get(end) ?? []) open.delete(place);
    for (const place of starting.get(end) ?? []) open.add(place);
  }
  return segments;
}
