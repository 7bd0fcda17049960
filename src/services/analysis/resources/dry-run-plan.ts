import { z } from 'zod';
import { skippedComponent } from './analysis-session.ts';
import { planType } from './analyze-request.ts';
import { count, milliseconds } from './fields.ts';
import { mediaType } from './media-types.ts';
import { verdictProfile } from './verdict-config.ts';

const stageModels = z.object({ primary: z.string(), fallbacks: z.array(z.string()) });

/** What an analysis would run, and about what it would cost, without running it. */
export const dryRunPlan = z
  .object({
    success: z.literal(true),
    dry_run: z.literal(true),
    data: z.object({
      media_type: mediaType,
      plan_type: planType,
      flow: z.string(),
      results_queue: z.string(),
      nodes: z.array(
        z.object({
          component: z.string(),
          queue: z.string(),
          priority: z.int().min(1).max(10),
          timeout_ms: milliseconds,
          depends_on: z.array(z.string()),
        }),
      ),
      stages: z
        .record(z.string(), z.record(z.string(), stageModels))
        .meta({ description: 'stage -> tier (free, premium) -> models.' }),
      prompt_config_keys: z.array(z.string()),
      skipped: z.array(skippedComponent),
      verdict_profile: verdictProfile,
      estimate: z.object({
        calls: count,
        tokens: count,
        search_queries: count,
        cost_units: z.number().min(0),
        duration_ms_p50: milliseconds,
        duration_ms_p95: milliseconds,
      }),
    }),
  })
  .meta({ id: 'DryRunPlan' });
export type DryRunPlan = z.infer<typeof dryRunPlan>;
