import { errorResponse } from '../../foundation/errors.ts';
import { defineService } from '../../foundation/service.ts';
import { catalogue } from './contract.ts';
import { createObserver } from './observer.ts';
import { catalogueRoutes } from './routes.ts';
import { addressesOf, catalogueSettings } from './settings.ts';

/** The catalogue of the platform's services. */
export const catalogueService = defineService({
  contract: catalogue,
  settings: catalogueSettings,
  needs: async (settings) => ({ observer: createObserver(addressesOf(settings)) }),
  errorBody: (failure, call) => errorResponse(failure, call.correlationId),
  routes: catalogueRoutes,
  publicPrefix: '/agent-v3/catalogue',
});
