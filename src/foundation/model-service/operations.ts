import { z } from 'zod';

/** What lists of models say of each, whatever it does. */
export const modelFields = {
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  backend: z.string(),
  loaded: z.boolean().nullable().describe('Null when the backend does not tell.'),
  languages: z.array(z.string()).nullable(),
};

/** The operation that lists the models of a service. */
export const modelsOperation = <Model extends z.ZodType>(model: Model) =>
  ({
    method: 'GET',
    path: '/v1/models',
    summary: 'The models of all backends',
    access: 'bearer',
    answer: z.object({ object: z.literal('list'), data: z.array(model) }),
  }) as const;

/** The operation that lists the backends of a service. */
export const backendsOperation = {
  method: 'GET',
  path: '/v1/backends',
  summary: 'The backends that are set up',
  access: 'bearer',
  answer: z.object({ backends: z.array(z.string()) }),
} as const;
