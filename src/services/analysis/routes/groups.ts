import { answer } from '../../../foundation/service/reply.ts';
import type { Call, Handlers } from '../../../foundation/service.ts';
import { componentList } from '../components/index.ts';
import type { deprecatedOperations } from '../contract/deprecated.ts';
import type { diagnosticOperations } from '../contract/diagnostics.ts';
import { withPrefix } from '../contract/group-operations.ts';
import { componentGroups, type groupsOperations } from '../contract/groups.ts';
import type { quickCheckOperations } from '../contract/quick-checks.ts';
import { errors } from '../errors.ts';
import type { Blocks } from '../resources/component-blocks.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { GroupHealth } from '../resources/group-health.ts';
import type { ModelTestRequest } from '../resources/model-test.ts';
import { isFinal } from '../session/states.ts';
import { type AnalyzeInput, analyzeLater, analyzeNow, analyzeOnly, MEDIA } from './analyses.ts';
import { configOf } from './component-config.ts';
import { checkAll, overallStatus, type Probes } from './health.ts';
import { type ModelTestDependencies, testCloud, testModel } from './model-tests.ts';
import { modelsOfComponent } from './models.ts';
import { type PageQuery, pageOf } from './paging.ts';
import { callerOf, ownSession, type PipelineDependencies, wholeSession } from './pipeline-dependencies.ts';
import {
  type AssignmentDependencies,
  type AssignmentRequest,
  changeAssignment,
  listAssignments,
} from './stage-assignments.ts';

/** What the handlers of a component group work with. */
export interface GroupDependencies
  extends PipelineDependencies,
    AssignmentDependencies,
    ModelTestDependencies {
  readonly probes: Probes;
  readonly version: string;
}

/** One component group. */
interface Group<Name extends ComponentName> {
  readonly component: Name;
  /** The block of the component; its fields are what `results` answers. */
  readonly block: { readonly shape: Readonly<Record<keyof Blocks[Name], unknown>> };
}

/** The request with the group's component in the place of whichever it names. */
function alone<Name extends ComponentName>(component: Name, { headers, body }: AnalyzeInput): AnalyzeInput {
  return { headers, body: { ...body, components: [component], skip_components: [] } };
}

/** A block of which every field is null. */
function emptyBlock<Name extends ComponentName>({ block }: Group<Name>) {
  const fields = Object.keys(block.shape).map((field) => [field, null]);
  return Object.fromEntries(fields) as Record<keyof Blocks[Name], null>;
}

async function resultOf<Name extends ComponentName>(
  dependencies: GroupDependencies,
  group: Group<Name>,
  sessionId: string,
  call: Call,
) {
  const record = await ownSession(dependencies, call, sessionId);
  const { status } = record.session;
  if (!isFinal(status)) throw errors.result_not_ready();
  const session = await wholeSession(dependencies, record);
  const skipped = session.skipped.find(({ component }) => component === group.component) ?? null;
  const groupBlock = session[group.component] ?? emptyBlock(group);
  return { ...groupBlock, session_id: record.session.sessionId, status, skipped };
}

async function healthOf({ probes, version }: GroupDependencies, { component }: Group<ComponentName>) {
  const checks = await checkAll(probes, ['database', ...componentList[component].checks]);
  const status = overallStatus(checks);
  const body: GroupHealth = { status, component, version, timestamp: new Date().toISOString(), checks };
  return answer(status === 'unhealthy' ? 503 : 200, body);
}

/** The handlers of a component group. */
function handlersOf<Name extends ComponentName>(group: Group<Name>, dependencies: GroupDependencies) {
  const { component } = group;
  return {
    analyze: (input: AnalyzeInput, call: Call) => analyzeNow(dependencies, alone(component, input), call),
    analyzeAsync: (input: AnalyzeInput, call: Call) =>
      analyzeLater(dependencies, alone(component, input), call),
    analyzeMedia: (input: AnalyzeInput, call: Call) =>
      analyzeOnly(MEDIA, dependencies, alone(component, input), call),
    results: async ({ params }: { params: { sessionId: string } }, call: Call) => ({
      success: true as const,
      data: await resultOf(dependencies, group, params.sessionId, call),
    }),
    config: async () => ({ success: true as const, data: await configOf(dependencies, component) }),
    models: async ({ query }: { query: PageQuery }, call: Call) => {
      const { items, text_models } = await modelsOfComponent(dependencies.modelList, component, call);
      return { success: true as const, data: { ...pageOf(items, query).data, text_models } };
    },
    stageAssignments: ({ query }: { query: PageQuery }) => {
      const { items, config_version } = listAssignments(dependencies, component);
      const { data } = pageOf(items, query);
      return { success: true as const, data: { ...data, config_version } };
    },
    assignStage: async ({ body }: { body: AssignmentRequest }, call: Call) => ({
      success: true as const,
      data: await changeAssignment(dependencies, component, body, callerOf(call).subject),
    }),
    testModel: async ({ body }: { body: ModelTestRequest }, call: Call) => ({
      success: true as const,
      data: await testModel(dependencies, component, body, call),
    }),
    health: () => healthOf(dependencies, group),
  };
}

/** The handlers of the four component groups, and of what one of them replaces. */
export function groupsRoutes(
  dependencies: GroupDependencies,
): Handlers<
  typeof groupsOperations &
    typeof quickCheckOperations &
    typeof diagnosticOperations &
    typeof deprecatedOperations
> {
  const { aiTampered, claims, techniques, sourceAssessment: source } = componentGroups;
  const sourceHandlers = handlersOf(source, dependencies);
  return {
    ...withPrefix(aiTampered, handlersOf(aiTampered, dependencies)),
    ...withPrefix(claims, handlersOf(claims, dependencies)),
    ...withPrefix(techniques, handlersOf(techniques, dependencies)),
    ...withPrefix(source, sourceHandlers),
    aiTamperedQuick: (input, call) =>
      analyzeNow(dependencies, { ...alone('ai_tampered', input), quick: true }, call),
    aiTamperedAnalyzeImage: (input, call) =>
      analyzeOnly(['image'], dependencies, alone('ai_tampered', input), call),
    techniquesTestCloud: async ({ body }, call) => ({
      success: true,
      data: await testCloud(dependencies, body.model, call),
    }),
    domainAnalyze: sourceHandlers.analyze,
    domainAnalyzeAsync: sourceHandlers.analyzeAsync,
  };
}
