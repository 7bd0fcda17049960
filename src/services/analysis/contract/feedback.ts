import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { COMPONENTS } from '../resources/component-name.ts';
import { dateTime } from '../resources/fields.ts';
import { enveloped } from './envelope.ts';
import { sessionParams } from './parameters.ts';

/** The parts of a session that an opinion can be about; bounded, so that opinions can be counted by them. */
export const FEEDBACK_PARTS = ['verdict', ...COMPONENTS] as const;

const LONGEST = { item: 100, label: 100, comment: 2000 } as const;

const storable = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((value) => !value.includes('\0') && value.isWellFormed(), 'must be text that can be stored');

const target = z
  .string()
  .regex(
    new RegExp(`^(${FEEDBACK_PARTS.join('|')})(/[\\w.:-]{1,${LONGEST.item}})?$`),
    `must be one of ${FEEDBACK_PARTS.join(', ')}, or one of them with an item, such as techniques/fear_appeal`,
  )
  .describe('What the opinion is about: a part, or an item of it by its code or id after a slash.');

const opinion = {
  target,
  agree: z.boolean(),
  label: storable(LONGEST.label).optional().describe('What the caller would have said instead.'),
  comment: storable(LONGEST.comment).optional(),
};

const feedback = z
  .object({
    session_id: z.uuid(),
    target: z.string(),
    agree: z.boolean(),
    label: z.string().nullable(),
    comment: z.string().nullable(),
    created_at: dateTime.describe('When the caller said something on this target for the first time.'),
    updated_at: dateTime,
  })
  .meta({ id: 'Feedback' });

/** Opinions on results; they are counted and kept, and never change a verdict. */
export const feedbackOperations = defineOperations({
  feedback: {
    method: 'POST',
    path: '/api/v3/pipeline/sessions/{sessionId}/feedback',
    summary: 'Agree or disagree with a part of a final session; a second opinion on it replaces the first',
    group: 'pipeline',
    access: 'bearer',
    params: sessionParams,
    body: z.looseObject(opinion).meta({ id: 'FeedbackRequest' }),
    answer: enveloped(feedback),
  },
});
