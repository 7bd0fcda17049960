import type { MediumMetadata } from '../../dependencies/extractors.ts';
import type { PictureProvenance } from '../../resources/image-analysis.ts';

/** The signed history as the analysis keeps it; null when none could be looked for. */
export function pictureProvenanceOf(metadata: MediumMetadata | undefined): PictureProvenance | null {
  if (metadata === undefined || metadata.c2pa.state === 'unknown') return null;
  const { state, trusted, content, ai_origin, digital_source_types, manifests, failures } = metadata.c2pa;
  const chain = manifests.map(({ title, made_by, signature, actions }) => ({
    title,
    made_by,
    signer: signature?.issuer ?? signature?.common_name ?? null,
    signed_at: signature?.signed_at ?? null,
    actions,
  }));
  return {
    state,
    trusted,
    content,
    ai_origin,
    digital_source_types,
    signer: chain[0]?.signer ?? null,
    chain,
    failures: [...new Set(failures.map(({ code }) => code))],
  };
}
