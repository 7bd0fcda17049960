import { withDeadline } from '../../../foundation/deadline.ts';
import type { Logger } from '../../../foundation/log.ts';
import { RecordingError } from '../../../media/recording/programs.ts';
import { errors } from '../errors.ts';
import { createWorkQueue } from '../fair-thread-pool.ts';
import type { MediaFile } from '../incoming/media-file.ts';
import type { TextReader } from '../ocr/ocr.ts';
import type { PictureRenderer, RenderedSound } from '../pictures/picture-renderer.ts';
import type { OverviewPart, RecordingOverview } from '../resources/overview.ts';
import { RECORDING_REASONS, type Reason } from '../resources/reasons.ts';
import type { ExtractorsSettings } from '../settings.ts';
import { fileOfFrame, type SampledFrame, sampleFrames } from './frames.ts';

/** An overview without the facts of the file that every answer has. */
export type Overview = Pick<RecordingOverview, 'frames' | 'waveform' | 'spectrogram'> & {
  readonly lost: readonly { readonly part: OverviewPart; readonly reason: Reason }[];
};

/** Makes overviews, a few at a time, callers in turns. */
export interface OverviewMaker {
  /** Throws a failure of the error table. */
  make(
    medium: MediaFile,
    parts: readonly OverviewPart[],
    caller: string,
    signal: AbortSignal,
  ): Promise<Overview>;
}

/** The services that overviews are made with. */
export interface OverviewTools {
  readonly text: Pick<TextReader, 'read'>;
  readonly renderer: Pick<PictureRenderer, 'render'>;
  readonly log: Logger;
}

/** Frames whose text is read: captions stand for longer than the time between two of them. */
const FRAMES_WITH_TEXT = 6;
const LANGUAGES = ['en', 'ro'] as const;

type Result<Value> = { readonly value: Value } | { readonly lost: Reason };

/** The places of so many frames, evenly over all. */
function evenlySpaced(count: number, all: number): Set<number> {
  const step = all / Math.min(count, all);
  return new Set(Array.from({ length: Math.min(count, all) }, (_, at) => Math.floor((at + 0.5) * step)));
}

/** The text in some of the frames; of the others, and where it could not be read, none is known. */
async function recogniseFrameTexts(
  frames: readonly SampledFrame[],
  { text, log }: OverviewTools,
  caller: string,
  signal: AbortSignal,
): Promise<Result<Map<number, string>>> {
  const chosen = evenlySpaced(FRAMES_WITH_TEXT, frames.length);
  const texts = new Map<number, string>();
  let lost: Reason | undefined;
  for (const [place, frame] of frames.entries()) {
    if (!chosen.has(place)) continue;
    try {
      const { text: recognised } = await text.read(await fileOfFrame(frame), LANGUAGES, caller, signal);
      if (typeof recognised === 'string') lost = recognised;
      else texts.set(frame.index, recognised.lines.map((line) => line.text).join('\n'));
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error }, 'the text of a frame was not read');
      lost = 'engine_failed';
    }
  }
  return lost === undefined || texts.size > 0 ? { value: texts } : { lost };
}

const jpegOf = ({ width, height, jpeg }: SampledFrame['copy']) => ({
  mime_type: 'image/jpeg' as const,
  width,
  height,
  data: jpeg.toString('base64'),
});

type LostPart = Overview['lost'][number];

async function framesOf(
  path: string,
  settings: ExtractorsSettings,
  signal: AbortSignal,
): Promise<Result<SampledFrame[]>> {
  const limits = {
    mostSeconds: settings.EXTRACTORS_MAX_SOUND_SECONDS,
    timeoutMs: settings.EXTRACTORS_DECODE_TIMEOUT_MS,
  };
  try {
    return { value: await sampleFrames(path, limits, signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RecordingError) return { lost: RECORDING_REASONS[error.reason] };
    throw error;
  }
}

/** The pictures of a sound by their kind, with those that could not be drawn. */
function drawingsOf(rendered: readonly RenderedSound[]) {
  const drawing = (kind: RenderedSound['kind']) => {
    const own = rendered.find((one) => one.kind === kind);
    if (own === undefined || !('png' in own)) return null;
    const data = Buffer.from(own.png).toString('base64');
    return { mime_type: 'image/png' as const, width: own.width, height: own.height, data };
  };
  const lost = rendered.flatMap((one): LostPart[] =>
    'reason' in one ? [{ part: one.kind, reason: one.reason }] : [],
  );
  return { drawings: { waveform: drawing('waveform'), spectrogram: drawing('spectrogram') }, lost };
}

/** The medium and the parts of an overview, and its caller. */
interface OverviewRequest {
  readonly medium: MediaFile;
  readonly parts: readonly OverviewPart[];
  readonly caller: string;
}

async function overviewOf(
  { medium, parts, caller }: OverviewRequest,
  settings: ExtractorsSettings,
  tools: OverviewTools,
  signal: AbortSignal,
): Promise<Overview> {
  if (medium.path === undefined) throw errors.unsupported_media();
  const frames = parts.includes('frames') ? await framesOf(medium.path, settings, signal) : { value: [] };
  const sampled = 'value' in frames ? frames.value : [];
  const kinds = (['waveform', 'spectrogram'] as const).filter((kind) => parts.includes(kind));
  const { drawings, lost } = drawingsOf(await tools.renderer.render(medium, kinds, caller, signal));
  const texts = await recogniseFrameTexts(parts.includes('frame_text') ? sampled : [], tools, caller, signal);
  const read = 'value' in texts ? texts.value : new Map<number, string>();
  return {
    frames: sampled.map(({ index, timeSec, copy }) => ({
      index,
      timestamp_s: Math.round(1000 * Math.max(0, timeSec)) / 1000,
      picture: jpegOf(copy),
      text: read.get(index) ?? null,
    })),
    ...drawings,
    lost: [
      ...('lost' in frames ? [{ part: 'frames' as const, reason: frames.lost }] : []),
      ...lost,
      ...('lost' in texts ? [{ part: 'frame_text' as const, reason: texts.lost }] : []),
    ],
  };
}

/** Prepares the making of overviews; nothing is started before the first. */
export function createOverviewMaker(settings: ExtractorsSettings, tools: OverviewTools): OverviewMaker {
  const queue = createWorkQueue(settings);
  return {
    make: (medium, parts, caller, signal) => {
      const limited = () =>
        withDeadline(settings.EXTRACTORS_OVERVIEW_TIMEOUT_MS, signal, (ended) =>
          overviewOf({ medium, parts, caller }, settings, tools, ended),
        );
      return queue.run(caller, limited, signal);
    },
  };
}
