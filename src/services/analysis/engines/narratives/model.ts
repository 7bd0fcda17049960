import weights from '../../../../../models/narratives.json' with { type: 'json' };
import { sigmoid } from '../../../../text/linear.ts';
import type { FrameHit } from './frames.ts';

/** Families as the weights know them; training/narratives.ts writes both. */
const families: Readonly<Record<string, number>> = weights.families;

/**
 * Probability, 0 to 1, that a sentence speaks of a family: the log-odds of an ordinary sentence, and how much more often the
 * family's words stand in its own sentences than in calm ones. Words spread over neighbouring sentences count in part.
 */
export function narrativeProbability(family: string, hit: FrameHit): number {
  return sigmoid(weights.bias + weights[hit] * (families[family] ?? 0));
}
