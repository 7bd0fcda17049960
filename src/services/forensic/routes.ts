import { createHash, randomUUID } from 'node:crypto';
import { fairQueueKey } from '../../foundation/caller-share.ts';
import { SNIFFED_BYTES, typeOfBytes } from '../../foundation/media-type.ts';
import { roundTo } from '../../foundation/numbers.ts';
import type { FileSink, IncomingFile } from '../../foundation/payloads.ts';
import type { Handlers } from '../../foundation/service.ts';
import type { TemporaryFile } from '../../foundation/temporary-files.ts';
import { DECODED_TYPES } from '../../media/image/decoder.ts';
import type { FileFacts } from '../../media/image/file-facts.ts';
import { describeFileFacts } from '../../media/image/file-facts-report.ts';
import type { DetectorResult, forensic, PictureAnalysis } from './contract.ts';
import { errors } from './errors.ts';
import type { ExaminedPicture, Examiner } from './examiner.ts';
import type { Finding } from './findings.ts';
import type { OverlayPicture } from './heat-map.ts';
import type { ExaminedRecording, RecordingExaminer } from './recordings.ts';
import type { RecordingAnalysis } from './resources/recording.ts';
import { BLIND_SPOTS, INAPPLICABLE } from './words.ts';

/** What the routes work with. */
export interface ForensicDependencies {
  readonly examiner: Examiner;
  readonly largestFile: () => number;
  readonly recordings: RecordingExaminer;
  readonly recordingFiles: FileSink<TemporaryFile>;
  readonly largestRecording: () => number;
}

interface PictureFile {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

/** Keeps a picture in memory: the limits of size and of waiting callers bound it. */
const memory: FileSink<PictureFile> = {
  store: async ({ content }: IncomingFile) => {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const mimeType = await typeOfBytes(bytes.subarray(0, SNIFFED_BYTES));
    if (!DECODED_TYPES.has(mimeType)) throw errors.unsupported_media();
    return { bytes, mimeType };
  },
  discard: async () => undefined,
};

function resultOf(finding: Finding, overlay: OverlayPicture | undefined): DetectorResult {
  const { detector, inapplicable } = finding;
  return {
    detector,
    applicable: inapplicable === null,
    reason: inapplicable === null ? null : { code: inapplicable, ...INAPPLICABLE[inapplicable] },
    score: finding.score,
    threshold: finding.threshold,
    found: finding.isFound,
    log_likelihood_ratio: { ...finding.weight },
    explanation: finding.words,
    cannot_see: BLIND_SPOTS[detector],
    regions: [...finding.regions],
    picture:
      overlay === undefined
        ? null
        : {
            mime_type: 'image/png',
            width: overlay.width,
            height: overlay.height,
            data: Buffer.from(overlay.png).toString('base64'),
          },
  };
}

function factsOf(facts: FileFacts): PictureAnalysis['file'] {
  const { jpeg } = facts;
  return {
    jpeg:
      jpeg === null
        ? null
        : {
            quality: jpeg.quality,
            standard_table: jpeg.standardTable,
            subsampling: jpeg.subsampling,
            progressive: jpeg.progressive,
            segments: [...jpeg.segments],
            trailing_bytes: jpeg.trailingBytes,
          },
    ...describeFileFacts(facts),
  };
}

function analysisOf(
  { bytes, mimeType }: PictureFile,
  { picture, result }: ExaminedPicture,
  elapsedMs: number,
): PictureAnalysis {
  return {
    request_id: randomUUID(),
    media_type: 'image',
    mime_type: mimeType,
    size_bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    width: picture.width,
    height: picture.height,
    orientation: picture.orientation,
    frames: picture.pages,
    hash: { algorithm: 'pdq', value: result.hash.hash, quality: result.hash.quality },
    preview:
      result.preview === null
        ? null
        : {
            mime_type: 'image/jpeg',
            ...picture.thumbnail,
            data: Buffer.from(result.preview).toString('base64'),
          },
    file: factsOf(result.file),
    detectors: result.findings.map((finding) => resultOf(finding, result.overlays[finding.detector])),
    degraded: result.failed.map(({ detector }) => ({ detector, reason: 'detector_failed' as const })),
    examination_time_ms: Math.round(elapsedMs),
  };
}

const toThreeDecimals = (seconds: number) => roundTo(seconds, 3);

function soundOf({ facts, soundExamination }: ExaminedRecording): RecordingAnalysis['sound'] {
  if (facts.sound === null || soundExamination === undefined) return null;
  const { codec, sampleRate, channels, bitRate } = facts.sound;
  return {
    codec,
    sample_rate: sampleRate,
    channels,
    bit_rate: bitRate,
    encoder: facts.encoder,
    bandwidth_hz: soundExamination.bandwidthHz === null ? null : Math.round(soundExamination.bandwidthHz),
  };
}

function pictureOf({ facts: { picture } }: ExaminedRecording): RecordingAnalysis['picture'] {
  if (picture === null) return null;
  const { codec, width, height, framesPerSecond } = picture;
  return { codec, width, height, frames_per_second: framesPerSecond };
}

function recordingAnalysisOf(
  { mimeType, bytes, sha256 }: TemporaryFile,
  examined: ExaminedRecording,
  elapsedMs: number,
): RecordingAnalysis {
  const { facts, soundExamination, hashes, film, lost } = examined;
  const lastFrame = hashes?.at(-1)?.timeSec ?? 0;
  return {
    request_id: randomUUID(),
    media_type: facts.picture === null ? 'audio' : 'video',
    mime_type: mimeType,
    size_bytes: bytes,
    sha256,
    duration_s: toThreeDecimals(soundExamination?.durationSec ?? facts.durationSec ?? lastFrame),
    voiced_s: toThreeDecimals(soundExamination?.voices.voicedSec ?? 0),
    sound: soundOf(examined),
    picture: pictureOf(examined),
    hashes:
      hashes === undefined
        ? null
        : {
            algorithm: 'pdq',
            frames: hashes.map(({ timeSec, hash, quality }) => ({
              at_s: toThreeDecimals(timeSec),
              value: hash,
              quality,
            })),
          },
    detectors: [...(film?.results ?? []), ...(soundExamination?.results ?? [])],
    degraded: [
      ...(lost === undefined ? [] : [{ part: 'hashes' as const, reason: lost }]),
      ...(film?.lost === undefined ? [] : [{ part: 'faces' as const, reason: film.lost }]),
    ],
    examination_time_ms: Math.round(elapsedMs),
  };
}

/** Handlers of the forensic service. */
export function forensicRoutes({
  examiner,
  largestFile,
  recordings,
  recordingFiles,
  largestRecording,
}: ForensicDependencies): Handlers<typeof forensic.operations> {
  return {
    analyzeRecording: ({ body, headers }, call) => {
      const caller = fairQueueKey(headers, call);
      return recordings.admitted(caller, async () => {
        const { files, fields } = await body.receive(recordingFiles, { maxFileBytes: largestRecording() });
        const started = performance.now();
        try {
          const examined = await recordings.examine(
            { path: files.file.path, depth: fields.depth },
            caller,
            call.signal,
          );
          return recordingAnalysisOf(files.file, examined, performance.now() - started);
        } finally {
          await recordingFiles.discard(files.file);
        }
      });
    },
    analyze: ({ body, headers }, call) => {
      const caller = fairQueueKey(headers, call);
      // A picture that would be refused is not read into memory first.
      return examiner.admitted(caller, async () => {
        const { files, fields } = await body.receive(memory, { maxFileBytes: largestFile() });
        const started = performance.now();
        const order = { file: files.file.bytes, depth: fields.depth, drawn: fields.pictures };
        const examined = await examiner.examine(order, caller, call.signal);
        for (const { detector, message } of examined.result.failed)
          call.log.error({ detector, message }, 'a detector failed');
        return analysisOf(files.file, examined, performance.now() - started);
      });
    },
  };
}
