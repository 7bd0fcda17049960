import { z } from 'zod';
import { LOSS_EFFECTS, LOSS_REASONS, REASON_CODES } from '../reasons.ts';
import { sessionStatus } from './analysis-session.ts';
import { componentName } from './component-name.ts';
import { dateTime, score, share } from './fields.ts';
import { workStage } from './work-stage.ts';

const common = { session_id: z.uuid(), at: dateTime };
const component = componentName.nullable();

/**
 * The progress of a session as a stream of events. It ends once the session is final, with its last `session.status`; a
 * `verdict.final` comes before that, and again when a person corrects the verdict.
 */
export const progressEvents = {
  'session.status': z.object({
    ...common,
    status: sessionStatus,
    error_code: z.string().nullable().meta({ description: 'Why the session failed; else null.' }),
  }),
  'component.started': z.object({ ...common, component: componentName, status: z.literal('running') }),
  'stage.started': z.object({
    ...common,
    component: component.meta({ description: 'Null for the making of the material.' }),
    stage: workStage,
    status: z.literal('running'),
  }),
  'component.completed': z.object({
    ...common,
    component: componentName,
    status: z.enum(['ran', 'skipped', 'lost']),
    code: z.enum(REASON_CODES).nullable().meta({ description: 'Why there is no result; null when it ran.' }),
    reason: z.string().nullable().meta({ description: 'The sentence of the code in English.' }),
    reason_ro: z.string().nullable().meta({ description: 'The sentence of the code in Romanian.' }),
  }),
  'component.degraded': z.object({
    ...common,
    component: component.meta({ description: 'Null for what was lost before the components or after them.' }),
    status: z.literal('degraded'),
    dependency: z.string(),
    reason: z.enum(LOSS_REASONS),
    effect: z.enum(LOSS_EFFECTS),
    message: z.string(),
    message_ro: z.string(),
  }),
  'verdict.final': z.object({
    ...common,
    status: z.literal('completed'),
    revision: z.int().min(1),
    risk_score: score.nullable(),
    risk_category: z.string().nullable(),
    risk_level: z.string().nullable(),
    confidence: share.nullable(),
    confidence_level: z.string().nullable(),
  }),
} as const;
