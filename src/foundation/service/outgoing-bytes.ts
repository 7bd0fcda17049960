import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingBytes } from '../payloads.ts';
import { type ConditionHeaders, isRangeValid, isUnchanged, requestedRange } from './byte-ranges.ts';

/** A file name in ASCII for old readers, and as it is for all others (RFC 6266). */
function dispositionOf({ disposition = 'attachment', fileName }: OutgoingBytes): string {
  if (fileName === undefined) return disposition;
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function headersOf(content: OutgoingBytes): Record<string, string> {
  const { mediaType, size, etag, modified } = content;
  return {
    'Content-Type': mediaType,
    'Content-Disposition': dispositionOf(content),
    // Whatever the bytes are, a browser takes them for what they are declared to be, and runs nothing in them.
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    // Kept by the reader alone, and asked for again each time: who may read may change.
    'Cache-Control': 'private, no-cache',
    ...(size !== undefined && { 'Accept-Ranges': 'bytes' }),
    ...(etag !== undefined && { ETag: `"${etag}"` }),
    ...(modified !== undefined && { 'Last-Modified': modified.toUTCString() }),
  };
}

/** Sends bytes, or as much of them as the reader asks for: 200, 206, 304 or 416. */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  content: OutgoingBytes,
): Promise<FastifyReply> {
  const headers: ConditionHeaders = request.headers;
  const { size } = content;
  reply.headers(headersOf(content));
  if (isUnchanged(headers, content)) return reply.code(304).removeHeader('Content-Type').send();
  const isRead = request.method !== 'HEAD';
  const wants = size !== undefined && isRead && isRangeValid(headers, content);
  const range = wants ? requestedRange(headers.range, size) : 'whole';
  if (range === 'unsatisfiable') {
    reply.removeHeader('Content-Type').removeHeader('Content-Disposition');
    return reply.code(416).header('Content-Range', `bytes */${size}`).send();
  }
  const part = range === 'whole' ? undefined : range;
  const length = part === undefined ? size : part.end - part.start + 1;
  if (length !== undefined) reply.header('Content-Length', String(length));
  if (part !== undefined) reply.code(206).header('Content-Range', `bytes ${part.start}-${part.end}/${size}`);
  return reply.send(isRead ? await content.open(part) : undefined);
}
