import type { LossReason } from '../../../foundation/client.ts';
import type { Degradation, Reason } from '../reasons.ts';
import { mediaTypeRow, type PreparationName } from '../resources/media-types.ts';
import type { MaterialCheckpoint } from '../session/checkpoint.ts';
import type { Material, MaterialKind } from '../session/material.ts';
import type { Submission } from '../session/submission.ts';
import { preparations } from './preparation/index.ts';
import type {
  ExternalWork,
  Preparation,
  PreparationRun,
  PreparationTools,
} from './preparation/preparation.ts';
import { OVERRUN, withTimeLimit } from './time-limit.ts';

/** The fields of a submission that decide how its material is prepared. */
type Prepared = Pick<Submission, 'mediaType' | 'quick' | 'mediaId'>;

type NamedPreparation = Preparation & { readonly name: PreparationName };

/** The steps that make the material of a submission, in their order. */
function preparationsOf({ mediaType, quick, mediaId }: Prepared): NamedPreparation[] {
  const all = mediaTypeRow(mediaType).preparation.map((name) => ({ name, ...preparations[name] }));
  if (quick !== true) return all;
  const isStored = mediaId !== undefined;
  return all.filter(
    ({ outside, quickWhenStored }) => outside === null || (isStored && quickWhenStored === true),
  );
}

/** The material that a submission itself contains. */
function submittedMaterial({ mediaType, text, url, mediaUrl }: Submission): Material {
  const { brings } = mediaTypeRow(mediaType);
  const address = url ?? mediaUrl ?? '';
  const parts =
    brings === 'text' ? { text: { text: text ?? '', language: 'und' } } : { [brings]: { url: address } };
  return { mediaType, title: null, parts, missing: {} };
}

/** The kinds of material that a submission can come to have; a plan knows from them what can apply. */
export function possibleKinds(submission: Prepared): ReadonlySet<MaterialKind> {
  const { brings } = mediaTypeRow(submission.mediaType);
  return new Set([brings, ...preparationsOf(submission).flatMap(({ makes }) => makes)]);
}

/** Longest making of the material of a submission, in milliseconds; 0 when it waits for nothing outside this process. */
export function preparationTimeMs(submission: Prepared): number {
  return preparationsOf(submission).reduce((sum, { outside }) => sum + (outside?.timeoutMs ?? 0), 0);
}

/** Material in preparation, and the losses so far. */
interface Progress {
  readonly material: Material;
  readonly degraded: readonly Degradation[];
}

/** The material after a failed step: the reason why its part is missing, and the lost dependency. */
function withLoss(
  { material, degraded }: Progress,
  { makes }: Preparation,
  { loss }: ExternalWork,
  { reason, why }: { reason: LossReason; why: Reason },
): Progress {
  const absent = makes.filter((kind) => material.parts[kind] === undefined);
  const missing = { ...material.missing, ...Object.fromEntries(absent.map((kind) => [kind, why])) };
  return { material: { ...material, missing }, degraded: [...degraded, { ...loss, reason }] };
}

/** A run whose steps have clocks of their own. */
type WholeRun = Omit<PreparationRun, 'pause'>;

/** Steps without external work have no clock to pause. */
const untimed = () => () => undefined;

/** Runs one step within its time. */
async function prepared(
  progress: Progress,
  preparation: Preparation,
  tools: PreparationTools,
  run: WholeRun,
): Promise<Progress> {
  const { outside } = preparation;
  const result =
    outside === null
      ? await preparation.run(progress.material, tools, { ...run, pause: untimed })
      : await withTimeLimit(outside.timeoutMs, run.signal, (signal, pause) =>
          preparation.run(progress.material, tools, { ...run, signal, pause }),
        );
  if (result !== OVERRUN && !('lost' in result)) return { ...progress, material: result };
  if (outside === null) throw new Error('a step that waits for nothing outside cannot be lost');
  const reason = result === OVERRUN ? 'timeout' : result.lost;
  return withLoss(progress, preparation, outside, { reason, why: outside.lost });
}

/** Takes the material of a submission through its steps. */
async function through(
  submission: Submission,
  advance: (progress: Progress, preparation: NamedPreparation) => Promise<Progress>,
): Promise<MaterialCheckpoint> {
  let progress: Progress = { material: submittedMaterial(submission), degraded: [] };
  for (const preparation of preparationsOf(submission)) progress = await advance(progress, preparation);
  return { step: 'material', material: progress.material, degraded: [...progress.degraded] };
}

/** Prepares the material of a submission; a failed step is recorded as a loss, and the others go on. */
export function makeMaterial(
  submission: Submission,
  tools: PreparationTools,
  run: WholeRun,
): Promise<MaterialCheckpoint> {
  const { mediaId, spokenLanguage } = submission;
  const whole = { ...run, mediaId, spokenLanguage };
  const isLong = preparationsOf(submission).filter(({ outside }) => outside !== null).length > 1;
  return through(submission, async (progress, preparation) => {
    if (isLong && preparation.outside !== null) await run.onStageStarted?.(preparation.outside.stage);
    return prepared(progress, preparation, tools, whole);
  });
}

/** The run of steps without external work, which need no cancellation. */
const uninterrupted = ({ account }: Submission, correlationId: string): WholeRun => ({
  signal: new AbortController().signal,
  correlationId,
  account,
});

/** The material of a submission that waits for nothing outside this process; null for any other. */
export async function immediateMaterial(
  submission: Submission,
  tools: PreparationTools,
  correlationId: string,
): Promise<MaterialCheckpoint | null> {
  if (preparationTimeMs(submission) > 0) return null;
  return makeMaterial(submission, tools, uninterrupted(submission, correlationId));
}

/** The material of a submission whose making failed each time: what waits for nothing outside is there. */
export function materialAfterFailure(
  submission: Submission,
  tools: PreparationTools,
  correlationId: string,
): Promise<MaterialCheckpoint> {
  return through(submission, async (progress, preparation) => {
    const { outside } = preparation;
    if (outside === null)
      return prepared(progress, preparation, tools, uninterrupted(submission, correlationId));
    return withLoss(progress, preparation, outside, { reason: 'unavailable', why: outside.failed });
  });
}
