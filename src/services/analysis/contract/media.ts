import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { bytesAnswer, multipartBody } from '../../../foundation/payloads.ts';
import { downloadAddress, downloadRequest, storedMedia } from '../resources/media.ts';
import { LARGEST_UPLOAD } from '../settings.ts';
import { enveloped } from './envelope.ts';

/** Operations on the caller's media. */
export const mediaOperations = defineOperations({
  uploadMedia: {
    method: 'POST',
    path: '/api/v3/media/upload',
    summary: 'Store a picture, a sound or a video; the same bytes again give the same medium',
    group: 'media',
    access: 'bearer',
    body: multipartBody({ fields: z.object({}), files: { file: { maxBytes: LARGEST_UPLOAD } } }),
    answer: enveloped(storedMedia),
  },
  mediaDownloadAddress: {
    method: 'POST',
    path: '/api/v3/media/download-url',
    summary: 'An address at which a medium of the caller can be read without a token until it expires',
    group: 'media',
    access: 'bearer',
    body: downloadRequest,
    answer: enveloped(downloadAddress),
  },
  mediaDownload: {
    method: 'GET',
    path: '/api/v3/media/download/{mediaId}',
    summary: 'Read a stored medium by a signed address, whole or a range of it',
    group: 'media',
    access: 'public',
    params: z.object({ mediaId: z.string() }),
    query: z.object({
      expires: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
      signature: z.string().min(1).max(200),
    }),
    answer: bytesAnswer(),
  },
  mediaFile: {
    method: 'GET',
    path: '/api/v3/media/file/{bucket}/{objectKey*}',
    summary: 'Read a stored medium of the caller, whole or a range of it',
    group: 'media',
    access: 'bearer',
    params: z.object({ bucket: z.string(), objectKey: z.string() }),
    answer: bytesAnswer(),
  },
});
