import type { CallContext } from '../dependencies/caller-share.ts';
import { type ExtractorsClient, recognisePictureText, type TextOutcome } from '../dependencies/extractors.ts';
import type { MediaLibrary } from './library.ts';

/** Recognises the text in a stored picture. Failures of services are outcomes, not errors. */
export type RecognisePictureText = (mediaId: string, run: CallContext) => Promise<TextOutcome>;

/** Creates a text reader on the extractors; without them every outcome is the reason. */
export function createPictureTextReader(
  client: Pick<ExtractorsClient, 'ocr'> | undefined,
  library: Pick<MediaLibrary, 'find' | 'open'>,
): RecognisePictureText {
  return async (mediaId, run) => {
    if (client === undefined) return { refused: { code: 'extractors_off', values: {} } };
    const media = await library.find({ mediaId }, run.account);
    const content = media && (await library.open(media).catch(() => undefined));
    if (media === undefined || content === undefined) return { refused: { code: 'medium_lost', values: {} } };
    const file = { content, fileName: media.objectKey, mediaType: media.mimeType };
    return recognisePictureText(client, file, run).finally(() => content.destroy());
  };
}
