import type { ReasonLanguage } from '../reasons.ts';

const en = {
  against: 'The strongest passages against it',
  favouring: 'The strongest passages for it',
  otherSources: 'Other sources on the subject; nobody judged what they say of the claim',
  moreSources: 'Further sources, in the session as JSON',
  undated: 'no date',
  unrated: 'nobody has rated the source',
  sourceCredibility: 'credibility of the source',
};
const ro: typeof en = {
  against: 'Cele mai puternice pasaje împotriva ei',
  favouring: 'Cele mai puternice pasaje în favoarea ei',
  otherSources: 'Alte surse pe această temă; ce spun despre afirmație nu a fost evaluat',
  moreSources: 'Alte surse, în sesiunea în format JSON',
  undated: 'fără dată',
  unrated: 'sursă pe care nu a evaluat-o nimeni',
  sourceCredibility: 'credibilitatea sursei',
};

/** The fixed words about the evidence of a claim. */
export const EVIDENCE_LABELS: Readonly<Record<ReasonLanguage, typeof en>> = { en, ro };
