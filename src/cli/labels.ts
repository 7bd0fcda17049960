/** The fixed texts of a report. */
export const REPORT_LABELS = {
  en: {
    risk: 'risk',
    confidence: 'confidence',
    scores: 'How the number is made',
    weight: 'weight',
    score: 'score',
    notUsed: 'not used',
    adjustment: 'adjustment',
    techniques: 'Techniques found',
    claims: 'Claims worth checking',
    indicators: 'Traces of machine writing',
    pictureIndicators: 'Traces of AI or editing',
    picture: 'Picture',
    leadingPictures: 'Pictures of the page',
    source: 'Source',
    skipped: 'Not run',
    noProbability: 'No probability',
    more: 'more',
    session: 'Session',
    names: {
      manipulation: 'Manipulation',
      claims: 'Claims',
      ai: 'AI or tampering',
      source: 'Source',
      context: 'Context',
    },
  },
  ro: {
    risk: 'risc',
    confidence: 'încredere',
    scores: 'Cum se formează numărul',
    weight: 'pondere',
    score: 'scor',
    notUsed: 'nefolosit',
    adjustment: 'ajustare',
    techniques: 'Tehnici găsite',
    claims: 'Afirmații care merită verificate',
    indicators: 'Urme de text generat automat',
    pictureIndicators: 'Urme de IA sau de editare',
    picture: 'Imaginea',
    leadingPictures: 'Imaginile paginii',
    source: 'Sursa',
    skipped: 'Nu a rulat',
    noProbability: 'Fără probabilitate',
    more: 'în plus',
    session: 'Sesiune',
    names: {
      manipulation: 'Manipulare',
      claims: 'Afirmații',
      ai: 'IA sau falsificare',
      source: 'Sursă',
      context: 'Context',
    },
  },
} as const;

/** Names of the components. */
const NAMES_RO: Readonly<Record<string, string>> = {
  techniques: 'tehnicile',
  ai_tampered: 'urmele de IA',
  claims: 'afirmațiile',
  domain: 'sursa',
};
const NAMES_EN: Readonly<Record<string, string>> = {
  techniques: 'techniques',
  ai_tampered: 'AI traces',
  claims: 'claims',
  domain: 'source',
};

/** A component as a reader would call it. */
export function nameOf(part: string, language: 'en' | 'ro'): string {
  return (language === 'ro' ? NAMES_RO : NAMES_EN)[part] ?? part;
}
