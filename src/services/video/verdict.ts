import type { DeepfakeAnswer, VideoSignal } from './contract.ts';
import type { Provenance } from './provenance.ts';
import type { Judged } from './vision.ts';

/** A sentence in both languages. */
interface Words {
  readonly en: string;
  readonly ro: string;
}

/** All that a verdict rests on. */
export interface Traces {
  readonly provenance: Provenance;
  readonly judged: Judged;
}

/** The verdict, and how it came about. */
export type Verdict = Pick<
  DeepfakeAnswer,
  'verdict' | 'explanation' | 'explanation_ro' | 'probability' | 'evidence_grade' | 'signals'
>;

/** Share of made or altered films before anything is known. */
const PRIOR = 0.1;
/** A trace from which on it is strong, in nats. */
const STRONG = 2.5;
/** What a vision model nobody has calibrated may weigh, either way. */
const VISION_CAP = 2;
/** A score of 1 is no certainty. */
const SCORE_BOUND = 0.05;
/** Probability from which a film is called fake, with grade A or B. */
const FAKE = 0.8;
/** What a signed word of generation sets at least: it is a claim against the interest of its signer. */
const AT_LEAST: Readonly<Partial<Record<Provenance, number>>> = {
  trusted_generation: 0.97,
  signed_generation: 0.9,
};
/** What a file weighs that is not the one that was signed: re-encoding does that to genuine films, too. */
const CHANGED = 0.7;

const logit = (probability: number) => Math.log(probability / (1 - probability));
const sigmoid = (value: number) => 1 / (1 + Math.exp(-value));
const percent = (value: number) => Math.round(100 * value);

/** What the vision model adds: the strongest of its judgements, for one altered part is enough. */
function visionSignal({ model, judgements, seen }: Judged): VideoSignal {
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
    en: `The vision model looked at ${seen} frames and gave ${percent(strongest.score)} of 100${times === '' ? '' : `, for the frames at ${times} s`}.${reasons === '' ? '' : ` It says: ${reasons}`}`,
    ro: `Modelul de imagini s-a uitat la ${seen} cadre și a dat ${percent(strongest.score)} din 100${times === '' ? '' : `, pentru cadrele de la secundele ${romanianTimes}`}.${reasons === '' ? '' : ` Spune (în engleză): ${reasons}`}`,
  };
  return { group, applicable: true, log_likelihood_ratio: ratio, strong: ratio >= STRONG, explanation };
}

const PROVENANCE: Readonly<Record<Provenance, Words>> = {
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

/** What a broken signature adds. */
const provenanceSignal = (provenance: Provenance): VideoSignal => ({
  group: 'provenance',
  applicable: provenance !== 'not_checked' && provenance !== 'absent',
  log_likelihood_ratio: provenance === 'changed' ? CHANGED : 0,
  strong: false,
  explanation: PROVENANCE[provenance],
});

const UNSEEN: Words = {
  en: 'Not seen: what lies between the sampled frames, the sound, and good forgeries that leave no trace in single frames.',
  ro: 'Nu s-a văzut: ce se află între cadrele alese, sunetul și falsurile bune, care nu lasă urme în cadre izolate.',
};
const OUTCOME: Readonly<Record<DeepfakeAnswer['verdict'], Words>> = {
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
  if (provenance === 'trusted_capture' || AT_LEAST[provenance] !== undefined) return 'A';
  if (signals.some(({ strong }) => strong)) return 'B';
  return signals.some(({ log_likelihood_ratio: ratio }) => ratio !== 0) ? 'C' : 'D';
}

/**
 * Joins what each family of traces says, once each, into a probability. Real only with a trusted signature of capture, fake only with
 * strong evidence; else uncertain, with what was and what was not seen.
 */
export function judge({ provenance, judged }: Traces): Verdict {
  const signals = [provenanceSignal(provenance), visionSignal(judged)];
  const sum = signals.reduce((total, { log_likelihood_ratio: ratio }) => total + ratio, logit(PRIOR));
  const found = sigmoid(sum);
  const probability = Math.max(found, AT_LEAST[provenance] ?? 0);
  const grade = gradeOf(provenance, signals);
  const isFake = probability >= FAKE && (grade === 'A' || grade === 'B') && provenance !== 'trusted_capture';
  const verdict = provenance === 'trusted_capture' && !isFake ? 'REAL' : isFake ? 'FAKE' : 'UNCERTAIN';
  const sentences = [OUTCOME[verdict], ...signals.map(({ explanation }) => explanation), UNSEEN];
  return {
    verdict,
    explanation: sentences.map(({ en }) => en).join(' '),
    explanation_ro: sentences.map(({ ro }) => ro).join(' '),
    probability: Math.round(probability * 10_000) / 10_000,
    evidence_grade: grade,
    signals,
  };
}
