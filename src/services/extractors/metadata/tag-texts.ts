import {
  type MetadataTags,
  singleLine,
  type Tags,
  tagDescription,
  tagText,
} from '../../../media/image/metadata-tags.ts';

/** Tags of one kind, and characters of one value, that are passed on. */
const MOST_TAGS = 200;
const MOST_CHARACTERS = 4_000;
const NAME_CHARACTERS = 128;

/** Names of tags that point to other tags, or hold bytes that no reader of texts understands. */
const NO_TEXTS = /Pointer$|^MakerNote$|^_raw$|^base64$|^image$/;
/** Names of tags with the place where something was made. */
const PLACE = /gps|(?:^|[:.])(?:latitude|longitude|altitude)$/i;
/** Whole other blocks that some programs copy into texts of PNG: what is left out of those would stand here. */
const COPIED_BLOCKS = /^(?:raw profile type |xml:com\.adobe\.xmp$)/i;

/** The tags of one kind as texts; those with a location only when they are requested. */
function textsOf(
  tags: Tags,
  withPlace: boolean,
  read: (name: string) => string | null,
): Record<string, string> {
  const names = Object.keys(tags).filter(
    (name) => !NO_TEXTS.test(name) && !COPIED_BLOCKS.test(name) && (withPlace || !PLACE.test(name)),
  );
  return Object.fromEntries(
    names.slice(0, MOST_TAGS).flatMap((name) => {
      const text = read(name);
      return text === null ? [] : [[name.slice(0, NAME_CHARACTERS), text]];
    }),
  );
}

/** The tags of a picture as texts. */
export interface TagTexts {
  readonly exif: Record<string, string>;
  readonly xmp: Record<string, string>;
  readonly iptc: Record<string, string>;
  readonly text: Record<string, string>;
  readonly hasPlace: boolean;
}

/** All tags of a picture as texts, cut off; where it was taken only when that is asked for. */
export function tagTexts({ exif, xmp, iptc, text, place }: MetadataTags, withPlace: boolean): TagTexts {
  const hasPlace =
    place !== null || [exif, xmp].some((tags) => Object.keys(tags).some((name) => PLACE.test(name)));
  const of = (tags: Tags) => textsOf(tags, withPlace, (name) => tagDescription(tags, name));
  return {
    exif: of(exif),
    xmp: of(xmp),
    iptc: of(iptc),
    text: textsOf(text, withPlace, (name) => singleLine(tagText(text[name]), MOST_CHARACTERS)),
    hasPlace,
  };
}
