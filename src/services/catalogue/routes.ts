import type { Handlers } from '../../foundation/service.ts';
import type { catalogue } from './contract.ts';
import type { Observer } from './observer.ts';

/** The handlers of the catalogue. */
export function catalogueRoutes({
  observer,
}: {
  readonly observer: Observer;
}): Handlers<typeof catalogue.operations> {
  return { status: async () => ({ success: true, data: await observer.state() }) };
}
