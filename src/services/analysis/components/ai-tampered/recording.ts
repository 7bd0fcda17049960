import { type RecordingEvidence, recordingBlock } from '../../engines/ai-recording/block.ts';
import type { TextEngines } from '../../engines/text-engines.ts';
import type {
  RecordingExaminer,
  RecordingFindings,
  RecordingOutcome,
} from '../../media/recording-examiner.ts';
import type { Degradation } from '../../reasons.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { Material } from '../../session/material.ts';
import type { ComponentAnswer, LostAnswer, RunContext, SkippedAnswer } from '../component.ts';
import { withEmbeddedText } from './embedded-text.ts';
import { mediaAnswer } from './media-answer.ts';
import { pictureProvenanceOf } from './provenance.ts';

type Answer = ComponentAnswer<'ai_tampered'> | LostAnswer | SkippedAnswer;

/** What recordings are examined with. */
interface RecordingTools {
  readonly recordings: RecordingExaminer;
  readonly engines: Pick<TextEngines, 'aiText'>;
}

/** The parts of the examination that are missing. */
function missingParts({ forensic, metadataLost, video: watched }: RecordingFindings): Degradation[] {
  const effect = 'part_missing';
  const unseen = forensic !== undefined && 'analysis' in forensic && forensic.analysis.degraded.length > 0;
  return [
    ...(forensic !== undefined && 'lost' in forensic
      ? [{ dependency: 'forensic', reason: forensic.lost, effect } as const]
      : []),
    ...(unseen ? [{ dependency: 'forensic', reason: 'invalid_answer', effect } as const] : []),
    ...(metadataLost === undefined
      ? []
      : [{ dependency: 'extractors', reason: metadataLost, effect } as const]),
    ...(watched?.lost === undefined ? [] : [{ dependency: 'video', reason: watched.lost, effect } as const]),
  ];
}

function unanswered(
  outcome: Exclude<RecordingOutcome, { readonly media: unknown }>,
): LostAnswer | SkippedAnswer {
  if ('refused' in outcome) return { skipped: outcome.refused };
  const { lost: reason, dependency } = outcome;
  return {
    lost: {
      code: dependency === 'objects' ? 'medium_lost' : 'recording_examination_lost',
      values: {},
    },
    degraded: [{ dependency, reason, effect: 'component_lost' }],
  };
}

/** The answer for a recording that no service could examine; undefined when at least one did. */
function whyNothing(findings: RecordingFindings): LostAnswer | SkippedAnswer | undefined {
  const { forensic, metadata, video: watched } = findings;
  if (watched?.judged !== undefined) return undefined;
  if (forensic !== undefined && 'analysis' in forensic) return undefined;
  const provenance = pictureProvenanceOf(metadata);
  if (provenance !== null && provenance.state !== 'absent') return undefined;
  if (forensic === undefined)
    return metadata === undefined ? { skipped: { code: 'forensic_off', values: {} } } : undefined;
  if ('refused' in forensic) return { skipped: forensic.refused };
  const degraded = missingParts(findings).map((line) =>
    line.dependency === 'forensic' ? ({ ...line, effect: 'component_lost' } as const) : line,
  );
  return { lost: { code: 'recording_examination_lost', values: {} }, degraded };
}

/** Looks for traces of making and editing in the recording of a material, and in what is said in it. */
export async function findRecordingTraces(
  { recordings, engines }: RecordingTools,
  material: Material,
  run: RunContext,
): Promise<Answer> {
  const stored = (material.parts.sound ?? material.parts.video)?.stored;
  // The material names who lost it.
  if (stored === undefined) return { lost: { code: 'medium_lost', values: {} }, degraded: [] };
  const started = performance.now();
  const depth = run.quick === true ? 'quick' : 'full';
  const outcome = await recordings.examine(stored.media_id, depth, run);
  if (!('media' in outcome)) return unanswered(outcome);
  const nothing = whyNothing(outcome);
  if (nothing !== undefined) return nothing;
  const { media, forensic, metadata, video: watched, seenBefore } = outcome;
  const analysis = forensic !== undefined && 'analysis' in forensic ? forensic.analysis : null;
  const examined: RecordingEvidence = {
    kind: material.parts.video === undefined ? 'audio' : 'video',
    facts: {
      media_id: media.mediaId,
      mime_type: media.mimeType,
      size_bytes: media.sizeBytes,
      sha256: media.sha256,
      duration_s: analysis?.duration_s ?? media.durationSec,
    },
    depth,
    forensic: analysis,
    provenance: pictureProvenanceOf(metadata),
    videoFindings: watched,
    seenBefore,
    durationMs: Math.round(performance.now() - started),
  };
  const { tuning = SHIPPED_TUNING } = run;
  const mediaBlock = recordingBlock(examined, tuning.aiVerdictFrom);
  const block = await withEmbeddedText(engines, material.parts.text, mediaBlock, run);
  const degraded = missingParts(outcome);
  return mediaAnswer(block, degraded);
}
