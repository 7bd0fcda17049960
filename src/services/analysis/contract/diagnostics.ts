import { defineOperations } from '../../../foundation/contract.ts';
import { cloudTestRequest, modelTest } from '../resources/model-test.ts';
import { enveloped } from './envelope.ts';
import { ADMIN } from './parameters.ts';

/** Tests of connections that an administrator makes by hand. */
export const diagnosticOperations = defineOperations({
  techniquesTestCloud: {
    method: 'POST',
    path: '/api/v3/techniques/test-cloud',
    summary: 'Try the cloud backend of the text-model gateway',
    group: 'techniques',
    access: ADMIN,
    body: cloudTestRequest,
    answer: enveloped(modelTest),
  },
});
