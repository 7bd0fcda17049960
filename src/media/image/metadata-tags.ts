import ExifReader from 'exifreader';
import { DOMParser } from 'linkedom';

/** The tags of one kind by their names, as the reader gives them. */
export type Tags = Readonly<
  Record<string, { readonly value?: unknown; readonly description?: unknown } | undefined>
>;

/** What a picture file carries beside its pixels. */
export interface MetadataTags {
  readonly exif: Tags;
  readonly xmp: Tags;
  readonly iptc: Tags;
  /** Texts of PNG. */
  readonly text: Tags;
  /** What the headers say of the pixels. */
  readonly file: Tags;
  /** Where it was taken, in degrees and metres. */
  readonly place: {
    readonly latitude: number;
    readonly longitude: number;
    readonly altitude: number | null;
  } | null;
}

const NO_TAGS: Tags = {};

/** Characters of a text from a file in one line. */
const LINE_CHARACTERS = 200;

/** A text from a file in one line, cut off: it is data, whatever it says. */
export function singleLine(value: unknown, mostCharacters: number = LINE_CHARACTERS): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return text === '' ? null : text.slice(0, mostCharacters);
}

/** The text of a tag, uncut; undefined where there is no such tag. */
export function tagText(tag: Tags[string]): string | undefined {
  if (tag === undefined) return undefined;
  return typeof tag.value === 'string' ? tag.value : String(tag.description ?? '');
}

/** A tag of some kind as people read it. */
export const tagDescription = (tags: Tags, name: string): string | null =>
  singleLine(tags[name]?.description) ?? singleLine(tags[name]?.value);

function placeOf(gps: unknown): MetadataTags['place'] {
  const { Latitude, Longitude, Altitude } = (gps ?? {}) as Record<string, unknown>;
  const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
  if (!isNumber(Latitude) || !isNumber(Longitude)) return null;
  return { latitude: Latitude, longitude: Longitude, altitude: isNumber(Altitude) ? Altitude : null };
}

/** Reads the tags of a picture file. A broken block counts as a missing one. */
export async function readTags(bytes: Buffer): Promise<MetadataTags> {
  const of = (group: unknown) => (group ?? NO_TAGS) as Tags;
  const tags = await ExifReader.load(bytes, {
    expanded: true,
    async: true,
    domParser: new DOMParser(),
  }).catch((): Partial<ExifReader.ExpandedTags> => ({}));
  return {
    exif: of(tags.exif),
    xmp: of(tags.xmp),
    iptc: of(tags.iptc),
    text: of(tags.pngText),
    file: { ...of(tags.riff), ...of(tags.gif), ...of(tags.pngFile), ...of(tags.file) },
    place: placeOf(tags.gps),
  };
}
