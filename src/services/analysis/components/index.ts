import { byComponent, type ComponentName } from '../resources/component-name.ts';
import { aiTampered } from './ai-tampered/ai-tampered.ts';
import { claims } from './claims/claims.ts';
import type { ComponentDefinition, Components, ComponentTools } from './component.ts';
import { sourceAssessment } from './source-assessment/source-assessment.ts';
import { techniques } from './techniques/techniques.ts';

/** The analysis components; plan, queues, scores and health read what each says of itself. */
export const componentList: { readonly [Name in ComponentName]: ComponentDefinition<Name> } = {
  techniques,
  ai_tampered: aiTampered,
  claims,
  domain: sourceAssessment,
};

/** Makes all components. */
export function createComponents(tools: ComponentTools): Components {
  return byComponent<Components>((name) => componentList[name].create(tools));
}
