import type { LocalizedText } from '../../../../foundation/localized-text.ts';
import type { PictureProvenance } from '../../resources/image-analysis.ts';
import type { Trace } from './fusion.ts';

/** Least probabilities that a signed declaration of a model sets: by a signer that the operator trusts, and by any other. */
const SIGNED_AI = { trusted: 0.97, untrusted: 0.9 } as const;
/** What a signed capture weighs against both parts, in nats; only of a signer that the operator trusts. */
const SIGNED_CAPTURE = { value: -3, low: -3, high: -3 };
/** Content that is not what was signed: optimisers break hashes, too. */
const BROKEN = { value: 0.7, low: 0, high: 0.7 };
const NOTHING = { value: 0, low: 0, high: 0 };
/** The source type of a camera. */
const CAPTURE = 'digitalCapture';

/** Whether a signed history says that a model took part, and the file is still the one that was signed. */
export function isSignedAi({ ai_origin: origin, content }: PictureProvenance): boolean {
  return origin !== null && content !== 'changed';
}

/** Whether a trusted signer says that a camera took the picture and that it was not edited since. */
export function isTrustedCapture(provenance: PictureProvenance): boolean {
  const { state, trusted, content, chain, digital_source_types: sources, ai_origin: origin } = provenance;
  const isUntouched = state === 'valid' && content === 'unchanged' && chain.length === 1;
  return isUntouched && trusted === true && origin === null && sources.includes(CAPTURE);
}

/** The traces in a signed history. */
export function provenanceTraces(provenance: PictureProvenance | null): Trace[] {
  if (provenance === null) return [];
  const trace = { detector: 'c2pa', grade: 'A' } as const;
  const { trusted, content } = provenance;
  if (isSignedAi(provenance)) {
    const atLeast = trusted === true ? SIGNED_AI.trusted : SIGNED_AI.untrusted;
    return [{ ...trace, group: 'declaration', part: 'generated', weight: NOTHING, atLeast }];
  }
  if (isTrustedCapture(provenance))
    return [{ ...trace, group: 'signed_capture', part: 'both', weight: SIGNED_CAPTURE, atLeast: null }];
  if (content === 'changed')
    return [
      { ...trace, group: 'broken_history', part: 'manipulated', weight: BROKEN, atLeast: null, grade: 'C' },
    ];
  return [];
}

/** What a signed history is called in the taxonomy, and how sure it is; undefined when it indicates nothing. */
export function provenanceSign(
  provenance: PictureProvenance | null,
): { readonly code: string; readonly confidence: number } | undefined {
  if (provenance === null) return undefined;
  const { trusted, content } = provenance;
  if (isSignedAi(provenance))
    return trusted === true
      ? { code: 'c2pa_trusted_generative', confidence: SIGNED_AI.trusted }
      : { code: 'iptc_source_type_synthetic', confidence: SIGNED_AI.untrusted };
  if (isTrustedCapture(provenance)) return { code: 'c2pa_trusted_capture', confidence: 0.95 };
  return content === 'changed' ? { code: 'c2pa_invalid_hash', confidence: 0.6 } : undefined;
}

/** What a sign of the history means, in sentences. */
export function provenanceWords(provenance: PictureProvenance): LocalizedText {
  const signer = provenance.signer ?? '–';
  if (isSignedAi(provenance))
    return {
      en: `The signed history of the file (${signer}) says that a model made it, or parts of it.`,
      ro: `Istoricul semnat al fișierului (${signer}) spune că un model l-a făcut, în întregime sau în parte.`,
    };
  if (isTrustedCapture(provenance))
    return {
      en: `A camera signed the picture (${signer}), and nothing has changed since.`,
      ro: `Un aparat de fotografiat a semnat imaginea (${signer}), iar de atunci nu s-a schimbat nimic.`,
    };
  return {
    en: `The file is not the one that was signed (${signer}): something changed it afterwards.`,
    ro: `Fișierul nu este cel care a fost semnat (${signer}): ceva l-a schimbat ulterior.`,
  };
}
