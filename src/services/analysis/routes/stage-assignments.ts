import type {
  Configuration,
  ConfigurationSnapshot,
} from '../../../foundation/configuration/configuration.ts';
import type { Detail } from '../../../foundation/errors.ts';
import type { ModelLister } from '../dependencies/text-model/serving.ts';
import { errors } from '../errors.ts';
import type { KnownModel } from '../pipeline/estimate.ts';
import { STAGES, type StageName, stagesOfPart, TIERS, type Tier } from '../resources/stage.ts';
import type { StageAssignment } from '../resources/stage-assignment.ts';
import { assignmentsOf, stageModelsOf } from '../session/assignments.ts';
import { stageTunables } from '../tunables.ts';

/** Dependencies of the operations on assignments. */
export interface AssignmentDependencies {
  readonly configuration: Pick<Configuration, 'current' | 'change'>;
  readonly textModel: KnownModel;
  /** The gateway's list of models; undefined when text models are switched off. */
  readonly modelList: ModelLister | undefined;
}

/** A change by an administrator: the models to assign to a stage, or none. */
export interface AssignmentRequest {
  readonly stage: string;
  readonly tier: Tier;
  readonly primary: string | null;
  readonly fallbacks: readonly string[];
}

type Part = Parameters<typeof stagesOfPart>[0];

function assignmentOf(
  snapshot: ConfigurationSnapshot,
  [short, stage]: readonly [string, StageName],
  tier: Tier,
  serving: string | null,
): StageAssignment {
  const { value, change } = snapshot.get(stageTunables[stage][tier]);
  return {
    stage: short,
    tier,
    ...stageModelsOf(assignmentsOf(snapshot, tier), stage, serving),
    assigned: value.primary !== null,
    version: change?.version ?? 0,
    updated_at: change?.at.toISOString() ?? null,
    updated_by: change?.actor ?? null,
  };
}

/** The assignments of a part in every tier, as they hold now. */
export function listAssignments(
  { configuration, textModel }: AssignmentDependencies,
  part: Part,
): { items: StageAssignment[]; config_version: number } {
  const snapshot = configuration.current();
  const serving = textModel.serving();
  const items = [...stagesOfPart(part)].flatMap((stage) =>
    TIERS.map((tier) => assignmentOf(snapshot, stage, tier, serving)),
  );
  return { items, config_version: snapshot.version };
}

const problem = (place: readonly (string | number)[], message: string): Detail => ({
  path: ['body', ...place],
  type: 'value_error',
  message,
});

/** The names of the models that the gateway lists now; a message when the list cannot be read. */
async function chatModels(modelList: ModelLister | undefined): Promise<ReadonlySet<string> | string> {
  if (modelList === undefined) return 'text models are switched off here';
  const list = await modelList.models({ query: {} });
  if (list === undefined) return 'the text-model gateway does not answer, so that its models are not known';
  return new Set(list.data.filter(({ capabilities }) => capabilities.includes('chat')).map(({ id }) => id));
}

/** What is wrong with a chain of names for a stage. */
async function problemsOf(
  modelList: ModelLister | undefined,
  stage: StageName,
  chain: readonly string[],
): Promise<Detail[]> {
  const { engine, textModel } = STAGES[stage];
  const strangers = chain.some((name) => name !== engine);
  const known = textModel && strangers ? await chatModels(modelList) : new Set<string>();
  return chain.flatMap((name, index) => {
    const place = index === 0 ? ['primary'] : ['fallbacks', index - 1];
    if (chain.indexOf(name) < index) return [problem(place, `${name} is named twice.`)];
    if (name === engine) {
      const last = index === chain.length - 1;
      return last ? [] : [problem(place, `Nobody is asked after ${engine}, which always answers.`)];
    }
    if (!textModel) return [problem(place, `This stage is served by ${engine} alone.`)];
    if (typeof known === 'string') return [problem(place, `${name} cannot be checked: ${known}.`)];
    return known.has(name) ? [] : [problem(place, `The gateway lists no model ${name} that answers chats.`)];
  });
}

/** Assigns a stage, or throws validation_failed with all that is wrong; resolves to what holds then. */
export async function changeAssignment(
  { configuration, textModel, modelList }: AssignmentDependencies,
  part: Part,
  request: AssignmentRequest,
  actor: string,
): Promise<StageAssignment & { config_version: number }> {
  const { tier, primary, fallbacks } = request;
  const stage = stagesOfPart(part).get(request.stage);
  if (stage === undefined) throw errors.validation_failed();
  const details =
    primary !== null
      ? await problemsOf(modelList, stage, [primary, ...fallbacks])
      : fallbacks.length > 0
        ? [problem(['fallbacks'], 'Fallbacks need a primary before them.')]
        : [];
  if (details.length > 0) throw errors.validation_failed({ details });
  const value = primary === null ? undefined : { primary, fallbacks: [...fallbacks] };
  const snapshot = await configuration.change(stageTunables[stage][tier], value, actor);
  const assignment = assignmentOf(snapshot, [request.stage, stage], tier, textModel.serving());
  return { ...assignment, config_version: snapshot.version };
}
