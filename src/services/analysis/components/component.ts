import type { Turn } from '../engines/text-engines.ts';
import type { Degradation, Reason } from '../reasons.ts';
import type { Blocks } from '../resources/component-blocks.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { Assignments } from '../session/assignments.ts';
import type { Material } from '../session/material.ts';
import type { Ran } from '../session/outcome.ts';

/** A component's answer, and the dependencies that did not do their part. */
export interface ComponentAnswer<Name extends ComponentName = ComponentName>
  extends Omit<Ran<Blocks[Name]>, 'state'> {
  readonly degraded: readonly Degradation[];
}

/** What a component says when what it rests on was lost and nothing stands in for it. */
export interface LostAnswer {
  readonly lost: Reason;
  readonly degraded: readonly Degradation[];
}

/** What one run is given beside the material: whose it is, its signal, and its clock. */
export interface Run extends Turn {
  readonly correlationId: string;
  readonly planType: number;
  /** Who serves which stage of this session. */
  readonly assignments: Assignments;
}

/** One of the four analyses: a port with one adapter for each component. */
export interface Component<Name extends ComponentName = ComponentName> {
  readonly name: Name;
  /** Why the component cannot say anything on this material, or null when it can. */
  inapplicable(material: Material): Reason | null;
  run(material: Material, run: Run): Promise<ComponentAnswer<Name> | LostAnswer>;
}

/** The four components by name. */
export type Components = { readonly [Name in ComponentName]: Component<Name> };
