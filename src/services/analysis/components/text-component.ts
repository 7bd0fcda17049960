import type { Material } from '../session/material.ts';
import type { ComponentDefinition } from './component.ts';

/** What a component that reads text needs. */
export const TEXT_COMPONENT_NEEDS: Pick<ComponentDefinition, 'needs' | 'absent'> = {
  needs: ['text'],
  absent: { code: 'no_text', values: {} },
};

/** The text of a material that is known to hold one. */
export function materialText(material: Material): { text: string; language: string } {
  return material.parts.text ?? { text: '', language: 'und' };
}
