import { z } from 'zod';

/** The four analysis components, in the order in which they are shown. */
export const COMPONENTS = ['techniques', 'ai_tampered', 'claims', 'domain'] as const;
export const componentName = z.enum(COMPONENTS);
export type ComponentName = z.infer<typeof componentName>;
