import { roundTo } from '../../../../foundation/numbers.ts';
import { sigmoid } from '../../../../text/logistic.ts';
import type { IndicatorItem } from '../../resources/ai-tampered-result.ts';
import type { Engine } from '../../resources/finding.ts';
import type { PictureProvenance } from '../../resources/image-analysis.ts';
import type { RecordingDetectorScore } from '../../resources/recording-analysis.ts';
import { indicatorItem, taxonomyIndicators } from '../ai-image/indicator-taxonomy.ts';
import { isSignedAi } from '../ai-image/provenance.ts';
import { STRONG_NATS, trackOf } from './detectors.ts';

/** The kinds of media that recordings are. */
export type RecordingKind = 'audio' | 'video';

/** What detectors are called in the taxonomy; one that is named like an indicator is that indicator. */
const CODES: Readonly<Record<string, string>> = { lip_sync: 'av_offset' };

const SIGNED_AI_CONFIDENCE = 0.9;
const CHANGED_CONFIDENCE = 0.6;
/** From so many nats on a weak trace is a moderate one. */
const MODERATE_NATS = 1;

/** The row of a detector; what the taxonomy does not know by its name is a trace of a detector. */
function rowOf(detector: string) {
  const named = taxonomyIndicators.find(({ code }) => code === (CODES[detector] ?? detector));
  const other = trackOf(detector) === 'sound' ? 'audio_forensic_trace' : 'video_forensic_trace';
  return named ?? taxonomyIndicators.find(({ code }) => code === other);
}

/** What a trace is called by its weight. */
function strengthOf({ log_likelihood_ratio: { value } }: RecordingDetectorScore): string {
  if (value >= STRONG_NATS) return 'strong';
  return value >= MODERATE_NATS ? 'moderate' : 'weak';
}

/** The chance that the weight of a trace gives where both were as likely before. */
const confidenceOf = ({ log_likelihood_ratio: { value } }: RecordingDetectorScore) =>
  roundTo(sigmoid(value), 2);

/** Whether a detector found something that speaks for making or editing: what weighs nothing is shown with the recording alone. */
const speaks = ({ found: isFound, log_likelihood_ratio: { value } }: RecordingDetectorScore) =>
  isFound === true && value > 0;

/** An item for each detector that found something. */
export function recordingIndicators(
  detectors: readonly RecordingDetectorScore[],
  engine: Engine,
): IndicatorItem[] {
  return detectors.flatMap((result) => {
    const row = speaks(result) ? rowOf(result.detector) : undefined;
    if (row === undefined) return [];
    const finding = {
      strength: strengthOf(result),
      confidence: confidenceOf(result),
      where: result.stretches[0] ?? null,
      dependency: result.detector === 'vision_model' ? 'video' : 'forensic',
      raw_score: result.score,
      cautions: result.cannot_see === null ? [] : [result.cannot_see],
      explanation: result.explanation,
    };
    return [indicatorItem(row, finding, engine)];
  });
}

/** The item for a signed history that declares a model or a change; none otherwise. */
export function provenanceItem(
  provenance: PictureProvenance | null,
  kind: RecordingKind,
  engine: Engine,
): IndicatorItem[] {
  if (provenance === null) return [];
  const signer = provenance.signer ?? '–';
  const isAi = isSignedAi(provenance);
  if (!isAi && provenance.content !== 'changed') return [];
  const code = isAi ? `${kind}_c2pa_generative` : 'video_c2pa_invalid_hash';
  const row = taxonomyIndicators.find((each) => each.code === code && each.kind === kind);
  if (row === undefined) return [];
  const explanation = isAi
    ? {
        en: `The signed history of the file (${signer}) says that a model made it, or parts of it.`,
        ro: `Istoricul semnat al fișierului (${signer}) spune că un model l-a făcut, în întregime sau în parte.`,
      }
    : {
        en: `The file is not the one that was signed (${signer}): something changed it afterwards.`,
        ro: `Fișierul nu este cel care a fost semnat (${signer}): ceva l-a schimbat ulterior.`,
      };
  const finding = {
    strength: isAi ? row.strength : 'weak',
    confidence: isAi ? SIGNED_AI_CONFIDENCE : CHANGED_CONFIDENCE,
    where: null,
    dependency: 'extractors',
    raw_score: null,
    explanation,
  };
  return [indicatorItem(row, finding, engine)];
}
