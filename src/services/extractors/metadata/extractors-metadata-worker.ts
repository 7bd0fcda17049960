import { readFileSync } from 'node:fs';
import { type FileFacts, factsOfTags } from '../../../media/image/file-facts.ts';
import { readJpegStructure } from '../../../media/image/jpeg-structure.ts';
import { type MetadataTags, readTags, type Tags } from '../../../media/image/metadata-tags.ts';
import type { MediaFile } from '../incoming/media-file.ts';
import type { Provenance } from '../resources/provenance.ts';
import { sizeByHeader } from './picture-size.ts';
import { readProvenance } from './provenance-reader.ts';
import { type TagTexts, tagTexts } from './tag-texts.ts';

/** One file for a thread: the bytes of a picture, or the path of something else. */
export interface MetadataTask {
  readonly medium: MediaFile;
  readonly withPlace: boolean;
  readonly trustAnchors: string | undefined;
}

/** The metadata of a picture. */
export interface PictureTags {
  readonly facts: FileFacts;
  readonly texts: TagTexts;
  readonly place: MetadataTags['place'];
  readonly width: number | null;
  readonly height: number | null;
}

/** The metadata that was read; after a `poisoned` result the thread must not be used again. */
export interface MetadataResult {
  readonly picture: PictureTags | null;
  readonly provenance: Provenance;
  readonly poisoned: boolean;
}

function numberOf(tag: Tags[string]): number | null {
  const value =
    typeof tag?.value === 'number' ? tag.value : Number.parseInt(String(tag?.description ?? ''), 10);
  return Number.isSafeInteger(value) && value > 0 ? value : null;
}

async function readPicture(bytes: Buffer, withPlace: boolean): Promise<PictureTags> {
  const structure = readJpegStructure(bytes);
  const tags = await readTags(bytes);
  const { file, exif, place } = tags;
  const size = sizeByHeader(bytes);
  return {
    facts: factsOfTags(tags, structure),
    texts: tagTexts(tags, withPlace),
    place,
    width: structure?.width ?? size?.width ?? numberOf(file['Image Width']) ?? numberOf(exif.ImageWidth),
    height: structure?.height ?? size?.height ?? numberOf(file['Image Height']) ?? numberOf(exif.ImageLength),
  };
}

/** Reads the metadata of a file in this thread. */
export default async function readInThread({
  medium,
  withPlace,
  trustAnchors,
}: MetadataTask): Promise<MetadataResult> {
  const { bytes, path } = medium;
  const held =
    bytes === undefined ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = () => held ?? readFileSync(path ?? '');
  const picture = held === undefined ? null : await readPicture(held, withPlace);
  return { picture, ...(await readProvenance(medium, read, trustAnchors)) };
}
