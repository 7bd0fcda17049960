import { z } from 'zod';
import { callerShareSchema } from '../../../foundation/caller-share.ts';
import { formOrJsonBody } from '../../../foundation/payloads.ts';

/** Bytes of the largest file that can be allowed. */
const LARGEST_FILE = 1024 * 1024 * 1024;
/** Bytes of the largest file within JSON: longer ones come as a form, or as a stored object. */
const LARGEST_DATA = 32 * 1024 * 1024;
const BASE64_GROUP = { characters: 4, bytes: 3 } as const;
/** Characters of the largest file within JSON. */
const DATA_CHARACTERS = Math.ceil(LARGEST_DATA / BASE64_GROUP.bytes) * BASE64_GROUP.characters;
/** Room for what stands beside the file in JSON. */
const JSON_BYTES = DATA_CHARACTERS + 64 * 1024;

/** A stored object, as the media operations of the analysis service name it. */
const storedObject = z.strictObject({
  bucket: z.string().min(1).max(255),
  object_key: z.string().min(1).max(1024),
});

const ONE_SOURCE = 'Exactly one of data and object is needed';
const hasOneSource = ({ data, object }: { readonly data?: unknown; readonly object?: unknown }) =>
  (data === undefined) !== (object === undefined);

/** A body that brings a file, names a stored object, or holds the bytes, with the options of an operation. */
export function mediumBody<const Options extends z.ZodRawShape>(options: Options) {
  return formOrJsonBody({
    fields: z.object(options),
    files: { file: { maxBytes: LARGEST_FILE } },
    json: z
      .object({
        data: z.base64().min(4).max(DATA_CHARACTERS).optional().describe('The bytes of the file.'),
        object: storedObject.optional().describe('A stored object that holds the file.'),
        ...options,
      })
      .refine((named) => hasOneSource(named), { error: ONE_SOURCE, path: ['data'] }),
    jsonBytes: JSON_BYTES,
  });
}

/** The facts of the file that every answer has. */
export const mediumFacts = {
  request_id: z.uuid(),
  media_type: z.enum(['image', 'audio', 'video']),
  mime_type: z.string().describe('By its bytes.'),
  size_bytes: z.int().min(1),
  sha256: z.string().length(64),
};

/** Names the user on whose behalf a file is read. */
export const readerHeaders = callerShareSchema('a file is read');
