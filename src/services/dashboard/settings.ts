import { z } from 'zod';
import { realmSettings } from '../../foundation/realms.ts';
import { liveShape } from './tunables.ts';

/** Settings of the dashboard: its own, and those of other services whose default it shows. */
export const dashboardSettings = z.object({ ...realmSettings, ...liveShape });

/** The parsed settings. */
export type DashboardSettings = z.infer<typeof dashboardSettings>;
