import type { IncomingMessage } from 'node:http';
import type { FoundationFailures } from '../errors.ts';
import type { BytesBody, IncomingBytes } from '../payloads.ts';
import { bodyFailures, checkDeclaredLength, meteredBody, PAUSE_MS } from './request-body.ts';

/** The content type of a request without its parameters, in lower case. */
function mediaTypeOf({ headers }: IncomingMessage): string | undefined {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return type === '' ? undefined : type;
}

/** The body of an operation that takes bytes; throws a failure of the table when type or declared length are wrong. */
export function incomingBytes(
  request: IncomingMessage,
  { maxBytes, mediaTypes }: BytesBody,
  errors: FoundationFailures,
): IncomingBytes {
  const mediaType = mediaTypeOf(request);
  if (mediaTypes !== undefined && !mediaTypes.includes(mediaType ?? '')) {
    const message = `Input should be ${mediaTypes.join(' or ')}`;
    throw errors.validation_failed({
      details: [{ path: ['headers', 'content-type'], message, type: 'literal_error' }],
    });
  }
  checkDeclaredLength(request, maxBytes, errors);
  const declared = request.headers['content-length'];
  return {
    content: meteredBody(request, { bytes: maxBytes, pauseMs: PAUSE_MS }, bodyFailures(errors)),
    mediaType,
    size: declared === undefined ? undefined : Number(declared),
  };
}
