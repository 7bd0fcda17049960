import { z } from 'zod';
import { count, dateTime, score, share } from './fields.ts';
import { decidedClaims } from './image-analysis.ts';

const seconds = z.number().min(0);

const sharedFilm = z.object({
  matching_s: count.meta({ description: 'Seconds of this film that are near copies of the other.' }),
  share: share.meta({ description: 'Of this film.' }),
  share_of_other: share,
  offset_s: z.number().meta({
    description: 'How much later the other film shows it; negative when earlier.',
  }),
  differing_bits: count.meta({ description: 'Of the 256 bits of the hashes, on average.' }),
  stretches: z.array(z.object({ start_s: seconds, end_s: seconds })).meta({
    description: 'Where in this film, to the second.',
  }),
});
/** What a film shares with another. */
export type SharedFilm = z.infer<typeof sharedFilm>;

const likeness = {
  same_bytes: z.boolean(),
  shared: sharedFilm.nullable().meta({ description: 'null for the same bytes: all of it.' }),
};

/** Earlier looks at the same recording, or at a film that is a near copy of it, whole or in part. */
export const recordingSeenBefore = z.object({
  by_looks: z.boolean().meta({
    description:
      'Whether near copies were looked for: a sound, and a film with too little to see, is only known by its bytes.',
  }),
  sessions: z
    .array(
      z.object({
        session_id: z.uuid(),
        created_at: dateTime,
        ...likeness,
        risk_score: score.nullable(),
        risk_category: z.string().nullable(),
      }),
    )
    .meta({ description: 'Of the same owner, the newest first.' }),
  fact_checks: z
    .array(
      z.object({
        decided_at: dateTime,
        ...likeness,
        risk_score: score.nullable(),
        risk_category: z.string().nullable(),
        claims: decidedClaims,
      }),
    )
    .meta({ description: 'What a person decided in sessions of others; nothing tells whose they were.' }),
});
/** Earlier looks at the same recording. */
export type RecordingSeenBefore = z.infer<typeof recordingSeenBefore>;
