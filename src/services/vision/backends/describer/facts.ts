import { callerShareHeaders } from '../../../../foundation/caller-share.ts';
import type { Client } from '../../../../foundation/client.ts';
import { memoizeAsync } from '../../../../foundation/memoize-async.ts';
import type { Decoder } from '../../../../media/image/decoder.ts';
import { decodeFailure } from '../../../../media/image/decoder.ts';
import type { extractors } from '../../../extractors/contract.ts';
import type { forensic, PictureAnalysis } from '../../../forensic/contract.ts';
import { errors } from '../../errors.ts';
import type { RequestPicture } from '../../pictures.ts';
import type { VisionCall } from '../backend.ts';
import { type ColourShare, mainColours } from './colours.ts';

/** The part of the forensic service that is asked. */
export type ForensicClient = Pick<Client<typeof forensic>, 'analyze'>;

/** The part of the extractors that is asked. */
export type ExtractorsClient = Pick<Client<typeof extractors>, 'metadata' | 'detect' | 'recognition' | 'ocr'>;
/** What a picture shows. */
type PictureContent = NonNullable<Awaited<ReturnType<ExtractorsClient['detect']>>>;
type SignedHistory = NonNullable<Awaited<ReturnType<ExtractorsClient['metadata']>>>['c2pa'];

/** Facts that could not be measured: the description says so. */
export type MissingFact = 'file' | 'history' | 'objects' | 'text';

/** What was measured of one picture. */
export interface PictureFacts {
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly colours: readonly ColourShare[];
  /** Mean brightness, 0 to 1. */
  readonly brightness: number;
  /** Metadata of the file; null when the forensic service did not answer. */
  readonly file: PictureAnalysis['file'] | null;
  /** Its signed history (C2PA); null when it could not be read. */
  readonly history: SignedHistory | null;
  /** What it shows; null when recognition was not possible. */
  readonly content: PictureContent | null;
  /** The text in it; null when it could not be read. */
  readonly text: string | null;
  readonly unmeasured: readonly MissingFact[];
}

/** What pictures are measured with. */
export interface MeasuringDependencies {
  readonly decoder: Pick<Decoder, 'decode'>;
  /** undefined: the forensic service is switched off. */
  readonly forensic: ForensicClient | undefined;
  /** undefined: the extractors are switched off. */
  readonly extractors: ExtractorsClient | undefined;
  /** Whether the extractors have a recognition engine installed; undefined when they did not answer. */
  readonly canRecognise: () => Promise<boolean | undefined>;
}

/** How long the answer is cached: an engine may be installed while the platform runs. */
const INSTALLED_MS = 60_000;
const ASK_MS = 5_000;

/** Creates the check whether the extractors can recognise the content of pictures; without it pictures would be sent to them in vain. */
export const createRecognitionCheck = (client: Pick<ExtractorsClient, 'recognition'> | undefined) =>
  memoizeAsync(
    INSTALLED_MS,
    async () => (await client?.recognition({}, { timeoutMs: ASK_MS, refused: () => undefined }))?.installed,
  );

/** Metadata of the file by the forensic service; null when it is off or does not answer. */
async function fileOf(
  { forensic }: MeasuringDependencies,
  { bytes, mimeType }: RequestPicture,
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

/** The signed history by the extractors; null when they are off, do not answer, or cannot read it. */
async function historyOf(
  { extractors }: MeasuringDependencies,
  picture: RequestPicture,
  { caller, correlationId, signal }: VisionCall,
): Promise<SignedHistory | null> {
  const metadata = await extractors?.metadata(
    { headers: callerShareHeaders(caller), body: bodyOf(picture) },
    { signal, correlationId, refused: () => undefined },
  );
  return metadata === undefined || metadata.c2pa.state === 'unknown' ? null : metadata.c2pa;
}

/** A picture as a request body of the extractors. */
const bodyOf = ({ bytes, mimeType }: RequestPicture) => ({
  fields: {},
  files: { file: { content: bytes, fileName: 'picture', mediaType: mimeType } },
});

/** What the picture shows by the extractors; null when they are off, do not answer, or have no engine installed. */
async function contentOf(
  { extractors, canRecognise }: MeasuringDependencies,
  picture: RequestPicture,
  { caller, correlationId, signal }: VisionCall,
): Promise<PictureContent | null> {
  if ((await canRecognise()) !== true) return null;
  const content = await extractors?.detect(
    { headers: callerShareHeaders(caller), body: bodyOf(picture) },
    { signal, correlationId, refused: () => undefined },
  );
  return content === undefined || content.faces === null ? null : content;
}

/** The text in the picture by the extractors; null when they are off, do not answer, or cannot read it. */
async function textOf(
  { extractors }: MeasuringDependencies,
  picture: RequestPicture,
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
  picture: RequestPicture,
  dependencies: MeasuringDependencies,
  call: VisionCall,
): Promise<PictureFacts> {
  const decoded = await dependencies.decoder.decode(picture.bytes, call.signal).catch((error: unknown) => {
    throw decodeFailure(error, errors);
  });
  const [file, history, content, text] = await Promise.all([
    fileOf(dependencies, picture, call),
    historyOf(dependencies, picture, call),
    contentOf(dependencies, picture, call),
    textOf(dependencies, picture, call),
  ]);
  const sum = decoded.brightness.reduce((total, value) => total + value, 0);
  return {
    mimeType: picture.mimeType,
    width: decoded.width,
    height: decoded.height,
    frames: decoded.pages,
    colours: mainColours(decoded.thumbnailRgb),
    brightness: sum / decoded.brightness.length / HIGHEST,
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
