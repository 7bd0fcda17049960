import {
  type ExtractionRun,
  type ExtractorsClient,
  readText,
  type TextOutcome,
} from '../dependencies/extractors.ts';
import type { MediaLibrary } from './library.ts';

/** Reads the text in a stored picture of a user; never throws for what lies outside. */
export type ReadPictureText = (mediaId: string, run: ExtractionRun) => Promise<TextOutcome>;

/** Reads text by the extractors; without them no text is read, and the reason says so. */
export function createTextReader(
  client: Pick<ExtractorsClient, 'ocr'> | undefined,
  library: Pick<MediaLibrary, 'find' | 'open'>,
): ReadPictureText {
  return async (mediaId, run) => {
    if (client === undefined) return { refused: { code: 'extractors_off', values: {} } };
    const media = await library.find({ mediaId }, run.account);
    const content = media && (await library.open(media).catch(() => undefined));
    if (media === undefined || content === undefined) return { refused: { code: 'medium_lost', values: {} } };
    const file = { content, fileName: media.objectKey, mediaType: media.mimeType };
    return readText(client, file, run).finally(() => content.destroy());
  };
}
