import type { DomainCheckClient } from '../dependencies/domain-check.ts';
import type { EvidenceSource } from '../dependencies/evidence.ts';
import type { TextModel } from '../dependencies/text-model/text-model.ts';
import type { EncodeTexts } from '../dependencies/vectors.ts';
import type { AssessWithVision } from '../dependencies/vision.ts';
import type { TaskContext, TextEngines } from '../engines/text-engines.ts';
import type { PagePictures } from '../media/page-pictures.ts';
import type { PictureExaminer } from '../media/picture-examiner.ts';
import type { RecordingExaminer } from '../media/recording-examiner.ts';
import type { Degradation, Reason } from '../reasons.ts';
import type { Blocks } from '../resources/component-blocks.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { Tuning } from '../resources/tuning.ts';
import type { WorkStage } from '../resources/work-stage.ts';
import type { Assignments } from '../session/assignments.ts';
import type { Material, MaterialKind } from '../session/material.ts';
import type { RanOutcome } from '../session/outcome.ts';

/** A component's answer, and the dependencies that did not do their part. */
export interface ComponentAnswer<Name extends ComponentName = ComponentName>
  extends Omit<RanOutcome<Blocks[Name]>, 'state'> {
  readonly degraded: readonly Degradation[];
}

/** The answer of a component whose dependency was lost without a replacement. */
export interface LostAnswer {
  readonly lost: Reason;
  readonly degraded: readonly Degradation[];
}

/** The context of one run: the user, the abort signal, the clock and the tuning. */
export interface RunContext extends TaskContext {
  readonly correlationId: string;
  /** undefined outside of sessions, as in the test of a model. */
  readonly sessionId?: string | undefined;
  readonly planType: number;
  /** Who serves which stage of this session. */
  readonly assignments: Assignments;
  /** How this session was tuned when it was accepted; undefined for one of an earlier release, which had no choice. */
  readonly tuning?: Tuning | undefined;
  /** Reports that a stage of a long step begins. */
  readonly onStageStarted?: ((stage: WorkStage) => Promise<void>) | undefined;
  /** Run only the quick examination. */
  readonly quick?: boolean | undefined;
}

/** The answer of a component whose dependency is switched off. */
export interface SkippedAnswer {
  readonly skipped: Reason;
}

/** Analyses material. */
export type RunComponent<Name extends ComponentName = ComponentName> = (
  material: Material,
  run: RunContext,
) => Promise<ComponentAnswer<Name> | LostAnswer | SkippedAnswer>;

/** What claims are checked with beside the engines. */
export interface VerificationTools {
  readonly evidence: EvidenceSource;
  readonly encode: EncodeTexts;
}

/** Dependencies of the components; each uses what it needs. */
export interface ComponentTools {
  readonly engines: TextEngines;
  readonly model: Pick<TextModel, 'ask'>;
  /** undefined: the domain check is switched off. */
  readonly domainCheck: DomainCheckClient | undefined;
  /** undefined: claims are not searched for. */
  readonly verification: VerificationTools | undefined;
  /** undefined: no pictures are examined. */
  readonly pictures: PictureExaminer | undefined;
  /** undefined: the vision service is switched off. */
  readonly vision: AssessWithVision | undefined;
  /** undefined: the pictures of pages are not examined. */
  readonly pagePictures: PagePictures | undefined;
  readonly recordings: RecordingExaminer;
}

/** Everything that the plan, the queues, the verdict and health know of one component. */
export interface ComponentDefinition<Name extends ComponentName = ComponentName> {
  readonly name: Name;
  /** The kinds of material of which it needs one: without any of them it does not apply. */
  readonly needs: readonly MaterialKind[];
  /** The reason when it does not apply and the material states none. */
  readonly absent: Reason;
  /** Longest run in milliseconds, unless staff set another. */
  readonly timeoutMs: number;
  /** The parts of health that it works with. */
  readonly checks: readonly (
    | 'framework'
    | 'llm'
    | 'brain'
    | 'domain_check'
    | 'extractors'
    | 'forensic'
    | 'vision'
  )[];
  /** The number that it gives to the verdict, 0 to 100, higher is worse; null when its block has nothing to say. */
  scoreOf(block: Blocks[Name]): number | null;
  /** Whether a block without a number lowers coverage, since there was something that could not be decided. */
  isUndecided(block: Blocks[Name]): boolean;
  create(tools: ComponentTools): RunComponent<Name>;
}

/** The components by name, ready to run. */
export type Components = Readonly<Record<ComponentName, RunComponent>>;

/** Why a component does not apply to a material, or null when it does: before it is made, and after. */
export function inapplicable(
  { needs, absent }: Pick<ComponentDefinition, 'needs' | 'absent'>,
  kinds: ReadonlySet<string>,
  missing: Material['missing'],
): Reason | null {
  if (needs.some((kind) => kinds.has(kind))) return null;
  return needs.map((kind) => missing[kind]).find((reason) => reason !== undefined) ?? absent;
}
