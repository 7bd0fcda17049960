import { z } from 'zod';
import { localizedText } from '../../../foundation/localized-text.ts';
import { count, dateTime, looseObject, milliseconds, score, share } from './fields.ts';

const reason = z.object({ code: z.string(), ...localizedText.shape });
const region = z.object({ x: share, y: share, width: share, height: share });

/** A stored picture that an analysis made, at its address. */
export const madePicture = z.object({
  media_id: z.uuid(),
  media_url: z.string(),
  width: count,
  height: count,
});
/** A stored picture that an analysis made. */
export type MadePicture = z.infer<typeof madePicture>;

const detectorScore = z.object({
  detector: z.string(),
  applicable: z.boolean(),
  reason: reason.nullable().meta({ description: 'Why it can say nothing of this picture.' }),
  score: z.number().nullable().meta({ description: 'Its own number.' }),
  threshold: z.number().nullable().meta({ description: 'The score from which it counts as found.' }),
  found: z.boolean().nullable(),
  log_likelihood_ratio: z
    .object({ value: z.number(), low: z.number(), high: z.number() })
    .meta({ description: 'What it says for tampering or making, in nats, with its 90 % bounds.' }),
  explanation: localizedText.nullable(),
  cannot_see: localizedText,
  regions: z.array(region).meta({ description: 'Where, in fractions of the picture as it is stored.' }),
  picture: madePicture.nullable().meta({
    description: 'What it sees over a small copy of the picture; null when none was drawn or kept.',
  }),
});
/** What one detector said, as the analysis keeps it. */
export type DetectorScore = z.infer<typeof detectorScore>;

/** How the probability of a picture came about: it can be made again from these numbers. */
export const pictureFusion = z.object({
  priors: z.object({ generated: share, manipulated: share }),
  p_generated: share,
  p_manipulated: share,
  range: z.tuple([score, score]).meta({
    description: 'The probability at the bounds of every trace, 0 to 100.',
  }),
  groups: z.array(
    z.object({
      group: z.string().meta({ description: 'Traces of one group count once, by the strongest.' }),
      part: z.enum(['generated', 'manipulated', 'both']),
      detector: z.string(),
      value: z.number(),
      low: z.number(),
      high: z.number(),
      at_least: share.nullable().meta({
        description: 'The least probability that a declaration of the file sets; null for a measured trace.',
      }),
    }),
  ),
});
/** How the probability of a picture came about. */
export type PictureFusion = z.infer<typeof pictureFusion>;

const seenSession = z.object({
  session_id: z.uuid(),
  created_at: dateTime,
  same_bytes: z.boolean(),
  differing_bits: count.meta({ description: 'Of the 256 bits of the hash.' }),
  risk_score: score.nullable(),
  risk_category: z.string().nullable(),
});

/** Claims that a person decided. */
export const decidedClaims = z.array(
  z.object({
    text: z.string(),
    status: z.string(),
    explanation_en: z.string(),
    explanation_ro: z.string(),
    reviewed_at: dateTime,
  }),
);
/** Claims that a person decided. */
export type DecidedClaims = z.infer<typeof decidedClaims>;

const pictureFactCheck = z.object({
  decided_at: dateTime,
  differing_bits: count,
  risk_score: score.nullable(),
  risk_category: z.string().nullable(),
  claims: decidedClaims,
});

/** Earlier looks at the same picture or a near copy of it. */
export const seenBefore = z.object({
  by_looks: z.boolean().meta({
    description:
      'Whether near copies were looked for: a picture with too little in it is only known by its bytes.',
  }),
  sessions: z.array(seenSession).meta({ description: 'Of the same owner, the newest first.' }),
  fact_checks: z
    .array(pictureFactCheck)
    .meta({ description: 'What a person decided in sessions of others; nothing tells whose they were.' }),
});
/** Earlier looks at the same picture. */
export type SeenBefore = z.infer<typeof seenBefore>;

const historyStep = z.object({
  title: z.string().nullable(),
  made_by: z.string().nullable(),
  signer: z.string().nullable(),
  signed_at: z.string().nullable(),
  actions: z.array(
    z.object({
      action: z.string(),
      digital_source_type: z.string().nullable(),
      software_agent: z.string().nullable(),
      at: z.string().nullable(),
    }),
  ),
});

/** The signed history of a picture (C2PA), as the extractors read it. */
export const pictureProvenance = z.object({
  state: z.string().meta({ description: 'absent, valid, invalid, remote or unknown.' }),
  trusted: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether the operator trusts the signer; null: no list is set.' }),
  content: z.string().nullable().meta({ description: 'unchanged, changed or not_checked.' }),
  ai_origin: z.string().nullable().meta({ description: 'generated or edited, as the history says itself.' }),
  digital_source_types: z.array(z.string()),
  signer: z.string().nullable(),
  chain: z.array(historyStep).meta({ description: 'The newest step first.' }),
  failures: z.array(z.string()).meta({ description: 'Checks that failed, as C2PA names them.' }),
});
/** The signed history of a picture. */
export type PictureProvenance = z.infer<typeof pictureProvenance>;

/** What a vision model of the operator says of a picture: untrusted words, and numbers that are not calibrated. */
export const visionView = z.object({
  model: z.string(),
  description: z.string().meta({ description: 'In English, as the model was asked.' }),
  generated: share.meta({ description: 'How much it thinks that a model made the picture.' }),
  altered: share.meta({ description: 'How much it thinks that somebody changed it.' }),
  reasons: z.array(z.string()).meta({ description: 'In English.' }),
});

/** What is known of one picture. */
export const imageAnalysis = z
  .object({
    media_id: z.uuid(),
    mime_type: z.string(),
    size_bytes: count,
    sha256: z.string(),
    width: count,
    height: count,
    orientation: z.int().min(1).max(8),
    frames: count,
    depth: z.enum(['full', 'quick']),
    hash: z.object({ algorithm: z.string(), value: z.string(), quality: z.int().min(0).max(100) }),
    preview: madePicture
      .nullable()
      .meta({ description: 'A small copy, saved anew; null when none was drawn or kept.' }),
    file: looseObject.meta({ description: 'What the file says of itself; whatever it says can be forged.' }),
    provenance: pictureProvenance
      .nullable()
      .meta({ description: 'null: nobody looked for a signed history.' }),
    detectors: z.array(detectorScore),
    not_applicable: z
      .array(z.string())
      .meta({ description: 'Detectors that can say nothing of this picture.' }),
    degraded: z.array(z.string()).meta({ description: 'Detectors that failed.' }),
    fusion: pictureFusion,
    seen_before: seenBefore.nullable().meta({ description: 'null: it could not be looked up.' }),
    vision: visionView.nullable().default(null).meta({
      description: 'null: no vision model of the operator looked at it; our own describer judges nothing.',
    }),
    sensitive: z
      .object({
        nudity: share.nullable(),
        gore: share.nullable(),
        blur_first: z.boolean().default(true).meta({
          description:
            'Clients show the picture, its small copy and what was drawn of it blurred until their user asks for it. Also where nobody looked.',
        }),
        code: z.string().nullable(),
        reason: z.string().nullable(),
        reason_ro: z.string().nullable(),
      })
      .meta({
        description: 'How much speaks for nudity and for violence; null: unknown, for the reason.',
      }),
    shows: z
      .object({
        faces: count,
        objects: z.array(z.object({ name: localizedText, score: share, where: region })),
      })
      .nullable()
      .default(null)
      .meta({ description: 'What was recognised in it, which weighs nothing; null: nobody looked for it.' }),
    examination_time_ms: milliseconds,
  })
  .meta({ id: 'ImageAnalysis' });
/** What is known of one picture. */
export type ImageAnalysis = z.infer<typeof imageAnalysis>;
