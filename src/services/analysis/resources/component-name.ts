import { z } from 'zod';
import { componentBlocks } from './component-blocks.ts';

/** The name of an analysis component. */
export const componentName = z.object(componentBlocks).keyof();
export type ComponentName = z.infer<typeof componentName>;

/** The analysis components, in the order in which they are shown. */
export const COMPONENTS: readonly ComponentName[] = componentName.options;

/** Makes a record with one value for each component. */
export function byComponent<Values extends Record<ComponentName, unknown>>(
  valueFor: <Name extends ComponentName>(name: Name) => Values[Name],
): Values {
  return Object.fromEntries(COMPONENTS.map((name) => [name, valueFor(name)])) as Values;
}
