import type { LocalizedText } from '../../foundation/localized-text.ts';
import { logit, sigmoid } from '../../text/logistic.ts';
import type { DeepfakeAnswer, VideoSignal } from './contract.ts';
import type { Provenance } from './provenance.ts';
import type { FrameJudgements } from './vision.ts';

/** What a verdict is computed from. */
export interface VerdictInputs {
  readonly provenance: Provenance;
  readonly frameJudgements: FrameJudgements;
}

/** The verdict, and how it was computed. */
export type Verdict = Pick<
  DeepfakeAnswer,
  'verdict' | 'explanation' | 'explanation_ro' | 'probability' | 'evidence_grade' | 'signals'
>;

/** Prior probability that a video is generated or altered. */
const PRIOR = 0.1;
/** Least log likelihood ratio of strong evidence, in nats. */
const STRONG_RATIO = 2.5;
/** Limit of the log likelihood ratio of the vision model, which is not calibrated, in nats. */
const VISION_CAP = 2;
/** Scores are kept this far from 0 and 1, whose logits are infinite. */
const SCORE_BOUND = 0.05;
/** Probability from which a film is called fake, with grade A or B. */
const FAKE = 0.8;
/** Least probability when the file is signed as generated: its signer has no reason to claim that falsely. */
const MINIMUM_PROBABILITY: Readonly<Partial<Record<Provenance, number>>> = {
  trusted_generation: 0.97,
  signed_generation: 0.9,
};
/** Log likelihood ratio of a file that differs from the signed one. It is small, since re-encoding changes genuine videos as well. */
const CHANGED_FILE_RATIO = 0.7;

const percent = (value: number) => Math.round(100 * value);

/** The signal of the vision model: the highest of its scores, since one altered part is enough. */
function visionSignal({ model, judgements, frameCount }: FrameJudgements): VideoSignal {
  const group = 'vision_model';
  if (judgements.length === 0) {
    const explanation = {
      en: `The vision model (${model}) describes what it sees and does not judge whether it is real.`,
      ro: `Modelul de imagini (${model}) descrie ce vede și nu judecă dacă este real.`,
    };
    return { group, applicable: false, log_likelihood_ratio: 0, strong: false, explanation };
  }
  const strongest = judgements.reduce((one, two) => (two.score > one.score ? two : one));
  const bounded = Math.min(1 - SCORE_BOUND, Math.max(SCORE_BOUND, strongest.score));
  const ratio = Math.max(-VISION_CAP, Math.min(VISION_CAP, logit(bounded)));
  const moments = strongest.frames.map(({ timeSec }) => timeSec.toFixed(1));
  const times = moments.join(', ');
  const romanianTimes = moments.map((moment) => moment.replace('.', ',')).join('; ');
  const reasons = strongest.reasons.join(' ');
  const explanation = {
    en: `The vision model looked at ${frameCount} frames and gave ${percent(strongest.score)} of 100${times === '' ? '' : `, for the frames at ${times} s`}.${reasons === '' ? '' : ` It says: ${reasons}`}`,
    ro: `Modelul de imagini s-a uitat la ${frameCount} cadre și a dat ${percent(strongest.score)} din 100${times === '' ? '' : `, pentru cadrele de la secundele ${romanianTimes}`}.${reasons === '' ? '' : ` Spune (în engleză): ${reasons}`}`,
  };
  return { group, applicable: true, log_likelihood_ratio: ratio, strong: ratio >= STRONG_RATIO, explanation };
}

const PROVENANCE: Readonly<Record<Provenance, LocalizedText>> = {
  trusted_capture: {
    en: 'A trusted signature says that a camera filmed it, and the file is unchanged.',
    ro: 'O semnătură de încredere spune că a fost filmat de o cameră, iar fișierul este neschimbat.',
  },
  trusted_generation: {
    en: 'A trusted signature says that a model made it, or parts of it.',
    ro: 'O semnătură de încredere spune că a fost făcut de un model, în întregime sau în parte.',
  },
  signed_generation: {
    en: 'Its signed history says that a model made it, or parts of it.',
    ro: 'Istoricul său semnat spune că a fost făcut de un model, în întregime sau în parte.',
  },
  changed: {
    en: 'It carries a signature, but the file is not the one that was signed.',
    ro: 'Poartă o semnătură, dar fișierul nu este cel care a fost semnat.',
  },
  signed: {
    en: 'It carries a signature that settles nothing.',
    ro: 'Poartă o semnătură care nu lămurește nimic.',
  },
  absent: {
    en: 'It carries no signature of its origin.',
    ro: 'Nu poartă nicio semnătură a originii.',
  },
  not_checked: {
    en: 'Signatures of its origin could not be checked.',
    ro: 'Semnăturile originii nu au putut fi verificate.',
  },
};

/** The signal of the signature. */
const provenanceSignal = (provenance: Provenance): VideoSignal => ({
  group: 'provenance',
  applicable: provenance !== 'not_checked' && provenance !== 'absent',
  log_likelihood_ratio: provenance === 'changed' ? CHANGED_FILE_RATIO : 0,
  strong: false,
  explanation: PROVENANCE[provenance],
});

const LIMITATIONS: LocalizedText = {
  en: 'Not seen: what lies between the sampled frames, the sound, and good forgeries that leave no trace in single frames.',
  ro: 'Nu s-a văzut: ce se află între cadrele alese, sunetul și falsurile bune, care nu lasă urme în cadre izolate.',
};
const OUTCOME: Readonly<Record<DeepfakeAnswer['verdict'], LocalizedText>> = {
  REAL: {
    en: 'Real: a trusted signature of its capture is intact.',
    ro: 'Real: semnătura de încredere a filmării este intactă.',
  },
  FAKE: { en: 'Fake: strong evidence speaks for it.', ro: 'Fals: dovezi puternice arată acest lucru.' },
  UNCERTAIN: {
    en: 'Uncertain: nothing found is enough to call it real or fake.',
    ro: 'Incert: nimic din ce s-a găsit nu ajunge pentru a-l numi real sau fals.',
  },
};

function gradeOf(provenance: Provenance, signals: readonly VideoSignal[]): DeepfakeAnswer['evidence_grade'] {
  if (provenance === 'trusted_capture' || MINIMUM_PROBABILITY[provenance] !== undefined) return 'A';
  if (signals.some(({ strong }) => strong)) return 'B';
  return signals.some(({ log_likelihood_ratio: ratio }) => ratio !== 0) ? 'C' : 'D';
}

/**
 * Adds the log likelihood ratios of the signals to the prior. The verdict is real only with a trusted signature of capture, fake only with
 * strong evidence, else uncertain; the explanation lists the signals and the limitations.
 */
export function decideVerdict({ provenance, frameJudgements }: VerdictInputs): Verdict {
  const signals = [provenanceSignal(provenance), visionSignal(frameJudgements)];
  const sum = signals.reduce((total, { log_likelihood_ratio: ratio }) => total + ratio, logit(PRIOR));
  const posterior = sigmoid(sum);
  const probability = Math.max(posterior, MINIMUM_PROBABILITY[provenance] ?? 0);
  const grade = gradeOf(provenance, signals);
  const isFake = probability >= FAKE && (grade === 'A' || grade === 'B') && provenance !== 'trusted_capture';
  const verdict = provenance === 'trusted_capture' && !isFake ? 'REAL' : isFake ? 'FAKE' : 'UNCERTAIN';
  const sentences = [OUTCOME[verdict], ...signals.map(({ explanation }) => explanation), LIMITATIONS];
  return {
    verdict,
    explanation: sentences.map(({ en }) => en).join(' '),
    explanation_ro: sentences.map(({ ro }) => ro).join(' '),
    probability: Math.round(probability * 10_000) / 10_000,
    evidence_grade: grade,
    signals,
  };
}
