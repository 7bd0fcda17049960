import { modelServiceFailures } from '../../foundation/model-service/errors.ts';

/** Everything that this service may answer besides success. */
export const errors = modelServiceFailures({});
