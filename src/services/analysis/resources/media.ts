import { z } from 'zod';
import { count, dateTime } from './fields.ts';

/** A stored medium. Sizes and durations that were not read are null. */
export const storedMedia = z
  .object({
    media_id: z.uuid(),
    bucket: z.string(),
    object_key: z.string(),
    media_url: z.string().meta({ description: 'For `media_url` of an analysis.' }),
    media_type: z.enum(['image', 'audio', 'video']),
    mime_type: z.string().meta({ description: 'By the bytes, not by the name.' }),
    size_bytes: count,
    sha256: z.string().meta({ description: 'Hexadecimal.' }),
    width: count.nullable().meta({ description: 'Pixels, as it is shown.' }),
    height: count.nullable(),
    duration_sec: z.number().min(0).nullable(),
    unread: z
      .object({ code: z.string(), reason: z.string(), reason_ro: z.string() })
      .nullable()
      .meta({ description: 'Why width, height and duration are unknown, when they are.' }),
    created_at: dateTime,
    existing_session_ids: z
      .array(z.uuid())
      .meta({ description: 'Sessions of the caller about these bytes.' }),
  })
  .meta({ id: 'StoredMedia' });

/** Seconds for which a download address may be valid. */
export const EXPIRY = { min: 60, max: 3600, default: 900 } as const;

/** What names a medium in a request for a download address: one of three. */
export const downloadRequest = z
  .looseObject({
    media_id: z.uuid().optional(),
    bucket: z.string().min(1).optional(),
    object_key: z.string().min(1).optional(),
    media_url: z.string().min(1).optional(),
    expires_in_sec: z.number().int().min(EXPIRY.min).max(EXPIRY.max).default(EXPIRY.default),
  })
  .refine(
    ({ media_id, bucket, object_key, media_url }) =>
      (bucket === undefined) === (object_key === undefined) &&
      [media_id, bucket, media_url].filter((name) => name !== undefined).length === 1,
    'Name the medium by media_id, by bucket and object_key, or by media_url.',
  )
  .meta({ id: 'DownloadRequest' });

/** An address at which a medium can be read without a token. */
export const downloadAddress = z
  .object({
    download_url: z.string(),
    expires_at: dateTime,
    mime_type: z.string(),
    size_bytes: count,
  })
  .meta({ id: 'DownloadAddress' });
