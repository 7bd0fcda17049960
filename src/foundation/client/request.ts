import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { fillPath, type Operation } from '../contract.ts';
import { isJson, type OutgoingFile } from '../payloads.ts';

/** The parts of a request as the wire needs them. */
export interface RequestParts {
  readonly params?: Record<string, unknown>;
  readonly query?: Record<string, unknown>;
  readonly headers?: Record<string, unknown>;
  readonly body?: unknown;
  readonly lastEventId?: string | undefined;
}

/** An outgoing body, with the headers that describe it. */
interface EncodedBody {
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | Readable | null;
}

/** The path of a request with its parameters and query. */
export function targetOf(operation: Operation, { params, query = {} }: RequestParts): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)]),
    );
  const text = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  return `${fillPath(operation.path, params)}${text}`;
}

/** The headers that a caller named, those of the answer's kind, and the last event that it has seen. */
export function callHeaders({ answer }: Operation, { headers = {}, lastEventId }: RequestParts) {
  const accept = isJson(answer) ? 'application/json' : answer.kind === 'events' ? 'text/event-stream' : '*/*';
  const named = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return {
    accept,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    ...Object.fromEntries(named),
  };
}

interface MultipartParts {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, OutgoingFile | readonly OutgoingFile[] | undefined>>;
}

/** A name within a header of a part, as browsers write it. */
const quoted = (name: string) =>
  `"${name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

/** The pieces of a multipart body; files are read as they are sent. */
async function* multipartPieces({ fields, files }: MultipartParts, boundary: string) {
  const start = (name: string, more: string) =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name=${quoted(name)}${more}\r\n\r\n`);
  for (const [name, value] of Object.entries(fields))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) yield Buffer.concat([start(name, ''), Buffer.from(`${String(each)}\r\n`)]);
  for (const [name, file] of Object.entries(files))
    for (const { fileName, mediaType, content } of file === undefined ? [] : [file].flat()) {
      yield start(name, `; filename=${quoted(fileName)}\r\ncontent-type: ${mediaType}`);
      if (content instanceof Uint8Array) yield content;
      else yield* content;
      yield Buffer.from('\r\n');
    }
  yield Buffer.from(`--${boundary}--\r\n`);
}

const encodedJson = (body: unknown): EncodedBody => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

function encodedForm(parts: MultipartParts): EncodedBody {
  const boundary = `limpede-${randomUUID()}`;
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Readable.from(multipartPieces(parts, boundary), { objectMode: false }),
  };
}

/** The body of a request as its kind has it. */
export function encodeBody({ body: declared }: Operation, body: unknown): EncodedBody {
  if (declared === undefined) return { headers: {}, body: null };
  if (isJson(declared)) return encodedJson(body);
  if (declared.kind === 'multipart') return encodedForm(body as MultipartParts);
  if (declared.kind === 'form_or_json') {
    const either = body as MultipartParts | { readonly json: unknown };
    return 'json' in either ? encodedJson(either.json) : encodedForm(either);
  }
  const { content, mediaType } = body as Pick<OutgoingFile, 'content' | 'mediaType'>;
  return {
    headers: { 'content-type': mediaType },
    body: content instanceof Uint8Array ? content : Readable.from(content, { objectMode: false }),
  };
}
