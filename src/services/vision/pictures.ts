import type { GuardedHttp } from '../../foundation/http.ts';
import { SNIFFED_BYTES, typeOfBytes } from '../../foundation/media-type.ts';
import type { ChatRequest } from './contract.ts';
import { MOST_PICTURES } from './contract.ts';
import { errors } from './errors.ts';

/** One picture of a request, undecoded. */
export interface RequestPicture {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

/** What pictures given by their address are downloaded with, and the size limit of all pictures. */
export interface PictureSource {
  readonly http: Pick<GuardedHttp, 'download'>;
  readonly largestFile: () => number;
}

/** A chat whose pictures are all data addresses, with their bytes. */
export interface LoadedChat {
  readonly request: ChatRequest;
  readonly pictures: readonly RequestPicture[];
}

/** Accepted types, by the bytes of the file: no documents, and no SVG, which can hold scripts. */
const PICTURE_TYPES = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/tiff',
  'image/avif',
]);
const DATA_ADDRESS = /^data:[\w.+-]+\/[\w.+-]+;base64,/;

async function downloadPicture(
  url: string,
  { http, largestFile }: PictureSource,
  signal: AbortSignal,
): Promise<Buffer> {
  const receive = async (content: AsyncIterable<Buffer>) => {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const outcome = await http.download(url, receive, { signal, maxBytes: largestFile() });
  if (!outcome.ok)
    throw errors.picture_not_fetched({ message: `A picture was not fetched: ${outcome.reason}.` });
  if (outcome.received === undefined)
    throw errors.picture_not_fetched({ message: `The host of a picture answered status ${outcome.status}.` });
  return outcome.received;
}

/** Loads a picture from a data or web address and checks that it is one. */
async function pictureOf(url: string, source: PictureSource, signal: AbortSignal): Promise<RequestPicture> {
  const head = DATA_ADDRESS.exec(url)?.[0];
  if (head === undefined && !/^https?:\/\//i.test(url))
    throw errors.unsupported_media({
      message: 'A picture comes as a data address with base64, or by http(s).',
    });
  const bytes =
    head === undefined
      ? await downloadPicture(url, source, signal)
      : Buffer.from(url.slice(head.length), 'base64');
  if (bytes.length > source.largestFile())
    throw errors.payload_too_large({ message: 'A picture is too large.' });
  const mimeType = await typeOfBytes(bytes.subarray(0, SNIFFED_BYTES));
  if (!PICTURE_TYPES.has(mimeType)) throw errors.unsupported_media();
  return { bytes, mimeType };
}

type Content = ChatRequest['messages'][number]['content'];
type ContentPart = Exclude<Content, string | null | undefined>[number];
type PicturePart = Extract<ContentPart, { readonly type: 'image_url' }>;

const partsOf = (content: Content): readonly ContentPart[] => (Array.isArray(content) ? content : []);
const isPicture = (part: ContentPart): part is PicturePart => part.type === 'image_url';

/** Loads the pictures of a chat and puts them inline. Model servers get no web addresses: they would fetch them without the outbound guard. */
export async function readPictures(
  request: ChatRequest,
  source: PictureSource,
  signal: AbortSignal,
): Promise<LoadedChat> {
  const parts = request.messages.flatMap(({ content }) => partsOf(content).filter(isPicture));
  if (parts.length > MOST_PICTURES)
    throw errors.request_refused({ message: `A request may hold ${MOST_PICTURES} pictures.` });
  const pictures = new Map<PicturePart, RequestPicture>();
  for (const part of parts) pictures.set(part, await pictureOf(part.image_url.url, source, signal));
  const withInlinePicture = (part: ContentPart): ContentPart => {
    const picture = isPicture(part) ? pictures.get(part) : undefined;
    if (picture === undefined || !isPicture(part)) return part;
    const url = `data:${picture.mimeType};base64,${picture.bytes.toString('base64')}`;
    return { ...part, image_url: { ...part.image_url, url } };
  };
  const messages = request.messages.map((message) =>
    Array.isArray(message.content)
      ? { ...message, content: message.content.map(withInlinePicture) }
      : message,
  );
  return { request: { ...request, messages }, pictures: [...pictures.values()] };
}

/** The text of the last message of the user. */
export function questionOf({ messages }: ChatRequest): string {
  const last = messages.findLast(({ role }) => role === 'user')?.content;
  if (typeof last === 'string') return last;
  return partsOf(last)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}
