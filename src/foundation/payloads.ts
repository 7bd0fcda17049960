import type { Readable } from 'node:stream';
import type { z } from 'zod';

/** Limits of one named file of a multipart body. */
export interface FilePart {
  /** Bytes of one file. */
  readonly maxBytes: number;
  /** False when the file may be missing; it is required unless said otherwise. */
  readonly required?: boolean;
  /** How many files may come under the name; more than one makes the result a list. */
  readonly maxCount?: number;
}

/** A multipart/form-data body: named text fields and named files. */
export interface MultipartBody {
  readonly kind: 'multipart';
  /** The text fields; a field that is sent twice arrives as a list. */
  readonly fields: z.ZodObject;
  readonly files: Readonly<Record<string, FilePart>>;
}

/** A body that comes as a form with files, or as JSON that says where the bytes are. */
export interface FormOrJsonBody {
  readonly kind: 'form_or_json';
  readonly form: MultipartBody;
  readonly json: z.ZodType;
  /** Bytes of the JSON. */
  readonly jsonBytes: number;
}

/** A body of bytes that is read as it arrives. */
export interface BytesBody {
  readonly kind: 'bytes';
  readonly maxBytes: number;
  /** Content types that are accepted; any when absent. */
  readonly mediaTypes?: readonly string[];
}

/** An answer of bytes: ranges, validators and disposition are handled by the foundation. */
export interface BytesAnswer {
  readonly kind: 'bytes';
  /** For the documentation; any when absent. */
  readonly mediaTypes?: readonly string[];
}

/** An answer that is a stream of typed events (text/event-stream). */
export interface EventsAnswer {
  readonly kind: 'events';
  /** The data of each event by its name. `heartbeat` is the foundation's own. */
  readonly events: Readonly<Record<string, z.ZodType>>;
  /** Milliseconds between two heartbeats. */
  readonly heartbeatMs: number;
}

/** The body of an operation. */
export type Body = z.ZodType | MultipartBody | FormOrJsonBody | BytesBody;

/** The answer of an operation. */
export type Answer = z.ZodType | BytesAnswer | EventsAnswer;

/** Whether a body or an answer is JSON, described by a schema. */
export function isJson<Payload extends Body | Answer>(
  payload: Payload | undefined,
): payload is Extract<Payload, z.ZodType> {
  return payload !== undefined && !('kind' in payload);
}

/** Declares a multipart body. */
export function multipartBody<
  const Fields extends z.ZodObject,
  const Files extends Readonly<Record<string, FilePart>>,
>(parts: { readonly fields: Fields; readonly files: Files }) {
  return { kind: 'multipart', ...parts } as const;
}

/** Declares a body that may be a form or JSON. */
export function formOrJsonBody<
  const Fields extends z.ZodObject,
  const Files extends Readonly<Record<string, FilePart>>,
  const Json extends z.ZodType,
>(parts: {
  readonly fields: Fields;
  readonly files: Files;
  readonly json: Json;
  readonly jsonBytes: number;
}) {
  const { json, jsonBytes, ...form } = parts;
  return { kind: 'form_or_json', form: multipartBody(form), json, jsonBytes } as const;
}

/** Declares a body of bytes. */
export function bytesBody(limits: Omit<BytesBody, 'kind'>): BytesBody {
  return { kind: 'bytes', ...limits };
}

/** Declares an answer of bytes. */
export function bytesAnswer(mediaTypes?: readonly string[]): BytesAnswer {
  return { kind: 'bytes', ...(mediaTypes !== undefined && { mediaTypes }) };
}

/** Readers and proxies give up on a connection that is silent for a minute. */
const HEARTBEAT_MS = 15_000;

/** Declares an answer of events. */
export function eventsAnswer<const Events extends Readonly<Record<string, z.ZodType>>>(
  events: Events,
  heartbeatMs: number = HEARTBEAT_MS,
) {
  return { kind: 'events', events, heartbeatMs } as const;
}

/** Bytes allowed for text fields and part headers of a multipart body, beside its files. */
const MULTIPART_OVERHEAD_BYTES = 1024 * 1024;

/** Most bytes that a multipart body may have. */
export function multipartBytes({ files }: MultipartBody): number {
  const sizes = Object.values(files).map(({ maxBytes, maxCount = 1 }) => maxBytes * maxCount);
  return sizes.reduce((sum, size) => sum + size, MULTIPART_OVERHEAD_BYTES);
}

/** Most bytes that a body may have which is read as it arrives. */
export function streamedBytes(body: MultipartBody | FormOrJsonBody | BytesBody): number {
  if (body.kind === 'multipart') return multipartBytes(body);
  return body.kind === 'bytes' ? body.maxBytes : Math.max(multipartBytes(body.form), body.jsonBytes);
}

/** An incoming file. */
export interface IncomingFile {
  /** The name of its part. */
  readonly field: string;
  /** The declared file name without folders; untrusted. */
  readonly fileName: string | undefined;
  /** The declared media type; untrusted. */
  readonly mediaType: string;
  /** Bytes that it can have at most: by its limit, and by the length of its body. */
  readonly mostBytes: number;
  /** Bytes of the body that it comes in, as the sender says; undefined when it does not say. */
  readonly declaredBytes: number | undefined;
  /** Fails when the file is larger than allowed, or when its sender leaves. */
  readonly content: Readable;
}

/** The destination of the files of a multipart body. */
export interface FileSink<Stored> {
  /** Stores the whole content; when it rejects, nothing of the file may remain. */
  store(file: IncomingFile): Promise<Stored>;
  /** Removes a stored file, because the request is refused or its sender left. */
  discard(stored: Stored): Promise<void>;
}

/** The stored files of a multipart body, by name. */
export type StoredFiles<Files, Stored> = {
  readonly [Name in keyof Files]: Files[Name] extends { readonly maxCount: number }
    ? readonly Stored[]
    : Files[Name] extends { readonly required: false }
      ? Stored | undefined
      : Stored;
};

/** An incoming multipart body. */
export interface IncomingMultipart<Fields extends z.ZodType, Files> {
  /**
   * Reads the body once and sends each file through the sink as it arrives; `maxFileBytes` may lower the contract's limit.
   * Either everything is accepted, or it throws a failure of the table and every stored file was discarded.
   */
  receive<Stored>(
    sink: FileSink<Stored>,
    limits?: { readonly maxFileBytes?: number },
  ): Promise<{ readonly fields: z.output<Fields>; readonly files: StoredFiles<Files, Stored> }>;
}

/** An incoming body that is a form or JSON, as its content type says. */
export interface IncomingFormOrJson<Fields extends z.ZodType, Files, Json extends z.ZodType> {
  /** As `IncomingMultipart.receive`; JSON is read and checked whole, and no file goes through the sink. */
  receive<Stored>(
    sink: FileSink<Stored>,
    limits?: { readonly maxFileBytes?: number },
  ): Promise<
    | { readonly json: z.output<Json> }
    | { readonly fields: z.output<Fields>; readonly files: StoredFiles<Files, Stored> }
  >;
}

/** An incoming body of bytes. */
export interface IncomingBytes {
  /** Fails when the body is larger than allowed, pauses for too long, or its sender leaves. */
  readonly content: Readable;
  /** As the sender says, without parameters; undefined when it does not say. */
  readonly mediaType: string | undefined;
  /** Bytes, when the sender says so. */
  readonly size: number | undefined;
}

/** Bytes `start` to `end` of a content, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes to answer with. */
export interface OutgoingBytes {
  readonly mediaType: string;
  /** Length in bytes; without it no ranges are served. */
  readonly size?: number;
  /** Opens the content, or a range of it. Not called when no body is sent. */
  open(range: ByteRange | undefined): Readable | Promise<Readable>;
  /** A strong validator without quotes: equal only for equal bytes. */
  readonly etag?: string;
  readonly modified?: Date;
  readonly fileName?: string;
  /** `attachment` unless said otherwise: a browser then saves the bytes and runs nothing in them. */
  readonly disposition?: 'inline' | 'attachment';
}

/** An event to send; the id is what a reader names to go on after it. */
export type OutgoingEvent<Events extends Readonly<Record<string, z.ZodType>>> = {
  [Name in keyof Events]: {
    readonly event: Name;
    readonly data: z.input<Events[Name]>;
    readonly id?: string;
  };
}[keyof Events];

/** An event as the typed client reads it. */
export type ReceivedEvent<Events extends Readonly<Record<string, z.ZodType>>> = {
  [Name in keyof Events]: {
    readonly event: Name;
    readonly data: z.output<Events[Name]>;
    readonly id: string | undefined;
  };
}[keyof Events];

/** A file that the typed client sends. */
export interface OutgoingFile {
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
  readonly fileName: string;
  readonly mediaType: string;
}
