import { z } from 'zod';
import { verdictProfile } from '../resources.ts';

const row = z.record(z.string(), z.unknown());

/** Everything by which a verdict is made, as the operator has it now. */
export const verdictConfig = z
  .object({
    version: z.string(),
    profiles: z.array(verdictProfile.extend({ media_type: z.string() })),
    risk_bands: z.array(row),
    inconclusive: row,
    confidence_levels: z.array(row),
    confidence_model: row,
    overrides: z.array(row),
    band_hysteresis_points: z.number(),
    sensitive_topics: z.array(row),
    virality_factors: z.array(row),
    virality_levels: z.array(row),
  })
  .meta({ id: 'VerdictConfig' });
