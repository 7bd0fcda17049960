import { callerShareHeaders } from '../../../../foundation/caller-share.ts';
import type { Client } from '../../../../foundation/client.ts';
import { memoizeAsync } from '../../../../foundation/memoize-async.ts';
import type { Decoder } from '../../../../media/image/decoder.ts';
import { decodeFailure } from '../../../../media/image/decoder.ts';
import type { extractors } from '../../../extractors/contract.ts';
import type { forensic, PictureAnalysis } from '../../../forensic/contract.ts';
import { errors } from '../../errors.ts';
import type { Picture } from '../../pictures.ts';
import type { VisionCall } from '../backend.ts';
import { type ColourShare, mainColours } from './colours.ts';

/** The part of the forensic service that is asked. */
export type ForensicClient = Pick<Client<typeof forensic>, 'analyze'>;

/** The part of the extractors that is asked. */
export type ExtractorsClient = Pick<Client<typeof extractors>, 'metadata' | 'detect' | 'recognition' | 'ocr'>;
/** What a picture shows. */
type PictureContent = NonNullable<Awaited<ReturnType<ExtractorsClient['detect']>>>;
type SignedHistory = NonNullable<Awaited<ReturnType<ExtractorsClient['metadata']>>>['c2pa'];

/** What nobody here could measure: it is said, never guessed. */
export type Unmeasured = 'file' | 'history' | 'objects' | 'text';

/** What was measured of one picture. */
export interface PictureFacts {
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly colours: readonly ColourShare[];
  /** Mean brightness, 0 to 1. */
  readonly brightness: number;
  /** What the file says of itself; null when nobody read it. */
  readonly file: PictureAnalysis['file'] | null;
  /** Its signed history; null when nobody looked for one. */
  readonly history: SignedHistory | null;
  /** What it shows; null when nobody could look for it. */
  readonly content: PictureContent | null;
  /** The words in it; null when nobody could read them. */
  readonly text: string | null;
  readonly unmeasured: readonly Unmeasured[];
}

/** What facts are measured with. */
export interface Measuring {
  readonly decoder: Pick<Decoder, 'decode'>;
  /** undefined: the forensic service is switched off. */
  readonly forensic: ForensicClient | undefined;
  /** undefined: the extractors are switched off. */
  readonly extractors: ExtractorsClient | undefined;
  /** Whether anything is installed there that recognises; undefined: nobody could tell. */
  readonly recognises: () => Promise<boolean | undefined>;
}

/** So long an answer on what is installed holds: somebody may install it while the platform runs. */
const INSTALLED_MS = 60_000;
const ASK_MS = 5_000;

/** Makes what asks the extractors whether they recognise what pictures show, so that no picture is sent in vain. */
export const createRecognises = (client: Pick<ExtractorsClient, 'recognition'> | undefined) =>
  memoizeAsync(
    INSTALLED_MS,
    async () => (await client?.recognition({}, { timeoutMs: ASK_MS, refused: () => undefined }))?.installed,
  );

/** What the file says of itself, by the forensic service; null when it is off or lost. */
async function fileOf(
  { forensic }: Measuring,
  { bytes, mimeType }: Picture,
  { caller, correlationId, signal }: VisionCall,
): Promise<PictureAnalysis['file'] | null> {
  const analysis = await forensic?.analyze(
    {
      headers: callerShareHeaders(caller),
      body: {
        fields: { depth: 'quick', pictures: 'false' },
        files: { file: { content: bytes, fileName: 'picture', mediaType: mimeType } },
      },
    },
    { signal, correlationId, refused: () => undefined },
  );
  return analysis?.file ?? null;
}

/** The signed history, by the extractors; null when they are off or lost, or could not read it. */
async function historyOf(
  { extractors }: Measuring,
  picture: Picture,
  { caller, correlationId, signal }: VisionCall,
): Promise<SignedHistory | null> {
  const metadata = await extractors?.metadata(
    { headers: callerShareHeaders(caller), body: bodyOf(picture) },
    { signal, correlationId, refused: () => undefined },
  );
  return metadata === undefined || metadata.c2pa.state === 'unknown' ? null : metadata.c2pa;
}

/** A picture as the extractors take it. */
const bodyOf = ({ bytes, mimeType }: Picture) => ({
  fields: {},
  files: { file: { content: bytes, fileName: 'picture', mediaType: mimeType } },
});

/** What the picture shows, by the extractors; null when they are off or lost, or nothing that looks is installed there. */
async function contentOf(
  { extractors, recognises }: Measuring,
  picture: Picture,
  { caller, correlationId, signal }: VisionCall,
): Promise<PictureContent | null> {
  if ((await recognises()) !== true) return null;
  const content = await extractors?.detect(
    { headers: callerShareHeaders(caller), body: bodyOf(picture) },
    { signal, correlationId, refused: () => undefined },
  );
  return content === undefined || content.faces === null ? null : content;
}

/** The words in the picture, by the extractors; null when they are off or lost, or could not read it. */
async function textOf(
  { extractors }: Measuring,
  picture: Picture,
  { caller, correlationId, signal }: VisionCall,
): Promise<string | null> {
  const read = await extractors?.ocr(
    { headers: callerShareHeaders(caller), body: bodyOf(picture) },
    { signal, correlationId, refused: () => undefined },
  );
  return read?.text ?? null;
}

const HIGHEST = 255;

/** Measures a picture; throws a failure of the table when it cannot be decoded. */
export async function measure(
  picture: Picture,
  measuring: Measuring,
  call: VisionCall,
): Promise<PictureFacts> {
  const seen = await measuring.decoder.decode(picture.bytes, call.signal).catch((error: unknown) => {
    throw decodeFailure(error, errors);
  });
  const [file, history, content, text] = await Promise.all([
    fileOf(measuring, picture, call),
    historyOf(measuring, picture, call),
    contentOf(measuring, picture, call),
    textOf(measuring, picture, call),
  ]);
  const sum = seen.brightness.reduce((total, value) => total + value, 0);
  return {
    mimeType: picture.mimeType,
    width: seen.width,
    height: seen.height,
    frames: seen.pages,
    colours: mainColours(seen.thumbnailRgb),
    brightness: sum / seen.brightness.length / HIGHEST,
    file,
    history,
    content,
    text,
    unmeasured: [
      ...(file === null ? (['file'] as const) : []),
      ...(history === null ? (['history'] as const) : []),
      ...(content === null ? (['objects'] as const) : []),
      ...(text === null ? (['text'] as const) : []),
    ],
  };
}
