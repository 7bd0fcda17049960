import { z } from 'zod';
import { count, moment } from './fields.ts';

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
    width: count.nullable(),
    height: count.nullable(),
    duration_sec: z.number().min(0).nullable(),
    created_at: moment,
    existing_session_ids: z
      .array(z.uuid())
      .meta({ description: 'Sessions of the caller about these bytes.' }),
  })
  .meta({ id: 'StoredMedia' });
