import { examinedPictures } from '../report/picture-section.ts';
import type { AnalysisSession } from '../resources/analysis-session.ts';
import type { ReviewMedium } from '../resources/moderation.ts';
import type { MediaKey } from '../store/media.ts';
import type { PipelineDependencies } from './pipeline-dependencies.ts';

/** Validity of a reviewer's media addresses, in seconds; requesting the entry again gives new ones. */
const OPEN_SECONDS = 900;

/** The media that a session is about or shows, and what was drawn of them. */
function keysOf(
  { addresses }: PipelineDependencies['media'],
  { input_media_url: address, ai_tampered: found, recording }: AnalysisSession,
): MediaKey[] {
  const subject = address === null ? undefined : addresses.read(address);
  const pictures = examinedPictures(found);
  const made = [
    ...pictures.flatMap(({ preview, detectors }) => [preview, ...detectors.map(({ picture }) => picture)]),
    ...(recording === null
      ? []
      : [recording.waveform, recording.spectrogram, ...recording.frames.map(({ picture }) => picture)]),
  ];
  const ids = [...pictures, ...made].flatMap((one) => (one === null ? [] : [one.media_id]));
  return [...(subject === undefined ? [] : [subject]), ...[...new Set(ids)].map((mediaId) => ({ mediaId }))];
}

/** What a reviewer may open of a session: media of its owner alone, by addresses that need no token and expire. */
export async function mediaForReview(
  media: PipelineDependencies['media'],
  account: string,
  session: AnalysisSession,
): Promise<ReviewMedium[]> {
  const expiresAt = new Date(Math.floor(Date.now() / 1000 + OPEN_SECONDS) * 1000);
  const stored = await Promise.all(keysOf(media, session).map((key) => media.library.find(key, account)));
  const storedMedia = new Map(
    stored.flatMap((one) => (one === undefined ? [] : [[one.mediaId, one] as const])),
  );
  return Promise.all(
    [...storedMedia.values()].map(async (one) => ({
      media_id: one.mediaId,
      media_url: media.addresses.of(one),
      mime_type: one.mimeType,
      download_url: await media.addresses.signed(one, expiresAt),
      expires_at: expiresAt.toISOString(),
    })),
  );
}
