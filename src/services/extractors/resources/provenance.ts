import { z } from 'zod';
import { localizedText } from '../../../foundation/localized-text.ts';

/** What became of the signed history of a file. */
export const PROVENANCE_STATES = [
  /** There is none. */
  'absent',
  /** Its signatures and hashes hold. */
  'valid',
  /** Some signature or hash does not hold: the file or its history was changed, or the format of the history is an old one. */
  'invalid',
  /** It is kept elsewhere; nothing is fetched. */
  'remote',
  /** It was not looked for, or could not be read. */
  'unknown',
] as const;

const action = z.object({
  action: z.string().describe('Such as c2pa.created or c2pa.edited.'),
  digital_source_type: z.string().nullable().describe('Of IPTC, its last part.'),
  software_agent: z.string().nullable(),
  at: z.string().nullable().describe('As the file writes it.'),
});

const manifest = z.object({
  label: z.string(),
  title: z.string().nullable(),
  made_by: z.string().nullable().describe('The program that wrote it, as it names itself.'),
  claim_version: z.int().min(1).nullable(),
  signature: z
    .object({
      issuer: z.string().nullable(),
      common_name: z.string().nullable(),
      algorithm: z.string().nullable(),
      signed_at: z.string().nullable(),
    })
    .nullable(),
  actions: z.array(action),
  ingredients: z.array(
    z.object({
      title: z.string().nullable(),
      relationship: z.string().nullable(),
      manifest: z.string().nullable(),
    }),
  ),
  assertions: z.array(z.string()).describe('Their labels; what stands in others is not passed on.'),
});

/** The signed history of a file (C2PA). */
export const provenance = z
  .object({
    state: z.enum(PROVENANCE_STATES),
    reason: z
      .object({ code: z.string(), ...localizedText.shape })
      .nullable()
      .describe('Why the state is unknown.'),
    trusted: z
      .boolean()
      .nullable()
      .describe(
        'Whether the signer is one that the operator trusts; null where no list of them is set, or nothing is signed.',
      ),
    content: z
      .enum(['unchanged', 'changed', 'not_checked'])
      .nullable()
      .describe(
        'Whether the file is the one that was signed; not_checked where its history has a form that cannot be compared.',
      ),
    ai_origin: z
      .enum(['generated', 'edited'])
      .nullable()
      .describe('What the history itself says of a model: it made the file, or made parts of it.'),
    digital_source_types: z.array(z.string()).describe('Of all manifests, each once.'),
    remote_url: z.string().nullable().describe('Where the file says that its history is; never asked.'),
    active: z.string().nullable().describe('The label of the newest manifest.'),
    manifests: z.array(manifest).describe('The newest first.'),
    failures: z.array(
      z.object({
        code: z.string().describe('As C2PA names it.'),
        manifest: z.string().nullable(),
        of_ingredient: z.boolean().describe('Whether it is about a file that was used, not about this one.'),
      }),
    ),
  })
  .meta({ id: 'Provenance' });

/** The signed history of a file (C2PA). */
export type Provenance = z.infer<typeof provenance>;
