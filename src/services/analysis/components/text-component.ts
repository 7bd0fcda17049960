import type { Reason } from '../reasons.ts';
import type { Material } from '../session/material.ts';

/** Why a component that reads text cannot say anything, or null when it can. */
export function withoutText(material: Material): Reason | null {
  return material.parts.text === undefined
    ? (material.missing.text ?? { code: 'no_text', values: {} })
    : null;
}

/** A material that is known to hold text. */
export function textOf(material: Material): { text: string; language: string } {
  return material.parts.text ?? { text: '', language: 'und' };
}
