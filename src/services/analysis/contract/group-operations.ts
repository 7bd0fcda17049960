import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { analysisSession } from '../resources/analysis-session.ts';
import { analyzeRequest } from '../resources/analyze-request.ts';
import { asyncAccepted } from '../resources/async-accepted.ts';
import { componentConfig } from '../resources/component-config.ts';
import type { ComponentName } from '../resources/component-name.ts';
import { dryRunPlan } from '../resources/dry-run-plan.ts';
import { groupHealth } from '../resources/group-health.ts';
import { groupResult } from '../resources/group-result.ts';
import { modelInfos } from '../resources/model-info.ts';
import { modelTest, modelTestRequest } from '../resources/model-test.ts';
import { stagesOfPart } from '../resources/stage.ts';
import {
  changedAssignment,
  stageAssignmentRequest,
  stageAssignments,
} from '../resources/stage-assignment.ts';
import { enveloped } from './envelope.ts';
import { ADMIN, idempotency, KEY_SCOPE, listQuery, sessionParams } from './parameters.ts';

/** A component group as the interface shows it. */
export interface ComponentGroup {
  /** What the names of its operations begin with: its path in camelCase. */
  readonly prefix: string;
  readonly path: string;
  readonly component: ComponentName;
  readonly block: z.ZodObject;
  /** The operation that the interface does not give it. */
  readonly lacks?: 'health' | 'results';
}

type Lacking<Group, Members> = Group extends { readonly lacks: infer Name extends string }
  ? Omit<Members, Name>
  : Members;

/** Members under the names of a group: `analyze` of `techniques` becomes `techniquesAnalyze`. */
type Prefixed<Group extends ComponentGroup, Members> = {
  readonly [Name in keyof Lacking<Group, Members> &
    string as `${Group['prefix']}${Capitalize<Name>}`]: Lacking<Group, Members>[Name];
};

/** Puts operations, or their handlers, under the names of a group, but for the one that it lacks. */
export function withPrefix<Group extends Pick<ComponentGroup, 'prefix' | 'lacks'>, Members extends object>(
  { prefix, lacks }: Group,
  members: Members,
): Prefixed<Group & ComponentGroup, Members> {
  const entries = Object.entries(members)
    .filter(([name]) => name !== lacks)
    .map(([name, member]) => [`${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`, member]);
  return Object.fromEntries(entries) as Prefixed<Group & ComponentGroup, Members>;
}

/** What a group does: analyses by its one component, their results, and whether it works. */
function workOf<Block extends z.ZodObject>(path: string, block: Block) {
  const root = `/api/v3/${path}`;
  const general = { group: path, access: 'bearer' } as const;
  return defineOperations({
    analyze: {
      ...general,
      keyScope: KEY_SCOPE.analyze,
      method: 'POST',
      path: `${root}/analyze`,
      summary: `Run ${path} alone and wait for the session`,
      headers: idempotency,
      body: analyzeRequest,
      answer: z.union([enveloped(analysisSession), dryRunPlan]),
    },
    analyzeAsync: {
      ...general,
      keyScope: KEY_SCOPE.analyze,
      method: 'POST',
      path: `${root}/analyze-async`,
      summary: `Accept an analysis by ${path} alone and answer at once`,
      headers: idempotency,
      body: analyzeRequest,
      answer: z.union([asyncAccepted, dryRunPlan]),
      answers: { 202: asyncAccepted },
    },
    analyzeMedia: {
      ...general,
      keyScope: KEY_SCOPE.analyze,
      method: 'POST',
      path: `${root}/analyze-media`,
      summary: `Run ${path} alone on a picture, sound or a video`,
      headers: idempotency,
      body: analyzeRequest,
      answer: z.union([enveloped(analysisSession), dryRunPlan]),
    },
    results: {
      ...general,
      keyScope: KEY_SCOPE.read,
      method: 'GET',
      path: `${root}/results/{sessionId}`,
      summary: `What ${path} found in a session, once it is final`,
      params: sessionParams,
      answer: enveloped(groupResult(block)),
    },
    health: {
      method: 'GET',
      path: `${root}/health`,
      summary: `Whether ${path} works`,
      group: path,
      access: 'public',
      answer: groupHealth,
      answers: { 503: groupHealth },
    },
  });
}

/** How a group is set up: who serves its stages, and whether that works. */
function setupOf(path: string, component: ComponentName) {
  const root = `/api/v3/${path}`;
  const general = { group: path, access: 'bearer' } as const;
  return defineOperations({
    config: {
      ...general,
      method: 'GET',
      path: `${root}/config`,
      summary: `How ${path} is set up: thresholds, time limits, prompts, queue, weight`,
      answer: enveloped(componentConfig),
    },
    models: {
      ...general,
      method: 'GET',
      path: `${root}/models`,
      summary: `Engines of ours and models of the gateway that can serve ${path}`,
      query: listQuery,
      answer: enveloped(modelInfos),
    },
    stageAssignments: {
      ...general,
      method: 'GET',
      path: `${root}/stage-assignments`,
      summary: `Which engine or model serves each stage of ${path}, by tier`,
      query: listQuery,
      answer: enveloped(stageAssignments),
    },
    assignStage: {
      ...general,
      method: 'PUT',
      path: `${root}/stage-assignments`,
      summary: `Assign a stage of ${path}; holds for every session accepted from now on`,
      access: ADMIN,
      body: stageAssignmentRequest([...stagesOfPart(component).keys()]),
      answer: enveloped(changedAssignment),
    },
    testModel: {
      ...general,
      method: 'POST',
      path: `${root}/test-model`,
      summary: 'Try an engine of ours or a model of the gateway',
      access: ADMIN,
      body: modelTestRequest,
      answer: enveloped(modelTest),
    },
  });
}

/** The operations of a component group under its names. */
export function groupOperations<Group extends ComponentGroup>(group: Group) {
  const { path, component } = group;
  const block: Group['block'] = group.block;
  return withPrefix(group, { ...workOf(path, block), ...setupOf(path, component) });
}
