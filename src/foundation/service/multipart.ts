import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { z } from 'zod';
import type { Detail, FoundationFailures } from '../errors.ts';
import {
  type FileSink,
  type IncomingFile,
  type IncomingMultipart,
  type MultipartBody,
  multipartBytes,
  type StoredFiles,
} from '../payloads.ts';
import { check } from '../validation.ts';
import { bodyFailures, checkDeclaredLength, limitedBytes, meteredBody, PAUSE_MS } from './request-body.ts';

/** Bytes of one text field: more than the longest text that a JSON body may carry. */
const FIELD_BYTES = 256 * 1024;
/** Parts with a text field; contracts declare a handful. */
const MOST_FIELDS = 64;
/** Headers of one part; real ones have three. */
const MOST_PART_HEADERS = 32;
const PART_HEADER_BYTES = 8192;

/** Where a multipart body comes from and what may be in it. */
interface Source {
  readonly request: IncomingMessage;
  readonly declaration: MultipartBody;
  readonly errors: FoundationFailures;
}

/** A body that is being read. */
interface MultipartRead<Stored> {
  readonly texts: Record<string, string | string[]>;
  readonly stored: { field: string; value: Stored }[];
  /** Contents that the sink is reading. */
  readonly open: Set<Readable>;
  readonly storing: Promise<void>[];
  /** Aborts with the first thing that goes wrong. */
  readonly ending: AbortController;
}

const place = (field: string, message: string, type: string): Detail => ({
  path: ['body', field],
  message,
  type,
});

function openParser({ request, errors }: Source): BusboyInstance {
  const type = request.headers['content-type'];
  try {
    if (type === undefined || !/^multipart\/form-data\b/i.test(type)) throw new Error('another content type');
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: {
        fields: MOST_FIELDS,
        fieldSize: FIELD_BYTES,
        headerPairs: MOST_PART_HEADERS,
        headerSize: PART_HEADER_BYTES,
      },
    });
  } catch {
    const message = 'Input should be multipart/form-data with a boundary';
    throw errors.validation_failed({
      details: [{ path: ['headers', 'content-type'], message, type: 'value_error' }],
    });
  }
}

/** Adds a text field; one that comes again makes a list. */
function addText(texts: MultipartRead<unknown>['texts'], name: string, value: string): void {
  const earlier = Object.hasOwn(texts, name) ? texts[name] : undefined;
  const next = earlier === undefined ? value : [...(Array.isArray(earlier) ? earlier : [earlier]), value];
  // Defined, not assigned: a field may be called __proto__.
  Object.defineProperty(texts, name, { value: next, enumerable: true, configurable: true, writable: true });
}

/** What is wrong with a file by its name and the number of those before it; undefined when it may come. */
function fileProblem(declaration: MultipartBody, field: string, earlier: number): Detail | undefined {
  const part = Object.hasOwn(declaration.files, field) ? declaration.files[field] : undefined;
  if (part === undefined) return place(field, 'No file of this name is expected', 'extra_forbidden');
  const { maxCount = 1 } = part;
  if (earlier < maxCount) return undefined;
  return place(field, `At most ${maxCount} file(s) of this name may be sent`, 'list_too_long');
}

/** Files that were expected and did not come. */
function missingFiles(declaration: MultipartBody, stored: readonly { field: string }[]): Detail[] {
  return Object.entries(declaration.files)
    .filter(([name, { required }]) => required !== false && !stored.some(({ field }) => field === name))
    .map(([name]) => place(name, 'Field required', 'missing'));
}

/** Sends one file through the sink. */
function takeFile<Stored>(
  { open, storing, stored, ending }: MultipartRead<Stored>,
  sink: FileSink<Stored>,
  file: IncomingFile,
  rest: Readable,
): void {
  const { content } = file;
  open.add(content);
  // The stream has no error listener before and after it is read, and an unhandled error event ends the process.
  content.on('error', () => undefined);
  const taking = sink
    .store(file)
    .then(
      (value) => void stored.push({ field: file.field, value }),
      (error) => ending.abort(error),
    )
    .finally(() => {
      open.delete(content);
      content.destroy();
      // What the sink left unread blocks the next part.
      rest.resume();
    });
  storing.push(taking);
}

/** Bytes of the body as its sender says. */
const declaredLength = ({ headers }: IncomingMessage) =>
  headers['content-length'] === undefined ? undefined : Number(headers['content-length']);

/** Listens to the parts of a body. */
function listen<Stored>(
  { parser, body }: { readonly parser: BusboyInstance; readonly body: Readable },
  { declaration, errors, request }: Source,
  sink: FileSink<Stored>,
  reading: MultipartRead<Stored>,
  maxFileBytes: number,
): void {
  const { ending, texts } = reading;
  const refuse = (detail: Detail) => ending.abort(errors.validation_failed({ details: [detail] }));
  // A truncated body is also malformed; why it was truncated says more.
  const malformed = (cause: Error) =>
    ending.abort(
      body.errored ?? errors.validation_failed({ message: 'The multipart body is malformed.', cause }),
    );
  const counts = new Map<string, number>();

  parser.on('error', malformed);
  parser.on('fieldsLimit', () => refuse(place('', `At most ${MOST_FIELDS} fields may be sent`, 'too_long')));
  parser.on('field', (name, value, _nameTruncated, valueTruncated) => {
    if (valueTruncated) refuse(place(name, `A field may have ${FIELD_BYTES} bytes`, 'string_too_long'));
    else addText(texts, name, value);
  });
  parser.on('file', (field, file, fileName, _encoding, mediaType) => {
    file.on('error', malformed);
    const earlier = counts.get(field) ?? 0;
    counts.set(field, earlier + 1);
    const problem = fileProblem(declaration, field, earlier);
    if (problem !== undefined) refuse(problem);
    if (ending.signal.aborted) return void file.resume();
    const bytes = Math.min(declaration.files[field]?.maxBytes ?? 0, maxFileBytes);
    const content = file.pipe(limitedBytes(bytes, () => errors.payload_too_large()));
    const declaredBytes = declaredLength(request);
    const mostBytes = Math.min(bytes, declaredBytes ?? Number.POSITIVE_INFINITY);
    const limits = { mostBytes, declaredBytes };
    takeFile(reading, sink, { field, fileName: fileName || undefined, mediaType, ...limits, content }, file);
  });
}

/**
 * Reads every part once. Whatever goes wrong first (a part that is not allowed, a file that is too large, a sink that
 * refuses, a sender that leaves) ends the reading and every file that is still arriving.
 */
async function readParts<Stored>(
  source: Source,
  sink: FileSink<Stored>,
  reading: MultipartRead<Stored>,
  maxFileBytes: number,
): Promise<void> {
  const { request, declaration, errors } = source;
  const { ending, open, storing } = reading;
  const parser = openParser(source);
  const limits = { bytes: multipartBytes(declaration), pauseMs: PAUSE_MS };
  const body = meteredBody(request, limits, bodyFailures(errors));
  listen({ parser, body }, source, sink, reading, maxFileBytes);
  await pipeline(body, parser, { signal: ending.signal }).catch((error: unknown) =>
    ending.abort(body.errored ?? error),
  );
  if (ending.signal.aborted) for (const content of open) content.destroy(ending.signal.reason as Error);
  await Promise.all(storing);
  ending.signal.throwIfAborted();
}

/** The files by name: one, none or a list, as the contract has it. */
function byName<Stored>(
  { files }: MultipartBody,
  stored: MultipartRead<Stored>['stored'],
): Record<string, unknown> {
  const entries = Object.entries(files).map(([name, { maxCount }]) => {
    const values = stored.filter(({ field }) => field === name).map(({ value }) => value);
    return [name, maxCount === undefined ? values[0] : values] as const;
  });
  return Object.fromEntries(entries);
}

/** A multipart body that the handler reads when it is ready, checked by the names and limits of the contract. */
export function incomingMultipart(source: Source): IncomingMultipart<z.ZodObject, MultipartBody['files']> {
  const { request, declaration, errors } = source;
  return {
    receive: async <Stored>(sink: FileSink<Stored>, { maxFileBytes = Number.POSITIVE_INFINITY } = {}) => {
      checkDeclaredLength(request, multipartBytes(declaration), errors);
      const reading: MultipartRead<Stored> = {
        texts: {},
        stored: [],
        open: new Set(),
        storing: [],
        ending: new AbortController(),
      };
      try {
        await readParts(source, sink, reading, maxFileBytes);
        const problems = missingFiles(declaration, reading.stored);
        const fields = check(declaration.fields, reading.texts, 'body', problems);
        if (fields === undefined || problems.length > 0)
          throw errors.validation_failed({ details: problems });
        const files = byName(declaration, reading.stored);
        return { fields, files: files as StoredFiles<MultipartBody['files'], Stored> };
      } catch (error) {
        await Promise.allSettled(reading.stored.map(({ value }) => sink.discard(value)));
        throw error;
      }
    },
  };
}
