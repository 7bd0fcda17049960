/** The words of a report. */
export const WORDS = {
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
    source: 'Source',
    skipped: 'Not run',
    missing: 'Without',
    ownEngine: 'not connected; our own engines answered',
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
    source: 'Sursa',
    skipped: 'Nu a rulat',
    missing: 'Fără',
    ownEngine: 'neconectat; au răspuns motoarele proprii',
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

/** Romanian names of components and dependencies. */
const NAMES_RO: Readonly<Record<string, string>> = {
  techniques: 'tehnicile',
  ai_tampered: 'urmele de IA',
  claims: 'afirmațiile',
  domain: 'sursa',
  llm: 'modelul de limbaj',
  web: 'serviciul web',
  domain_check: 'verificarea domeniului',
};
const NAMES_EN: Readonly<Record<string, string>> = {
  techniques: 'techniques',
  ai_tampered: 'AI traces',
  claims: 'claims',
  domain: 'source',
  llm: 'text model',
  web: 'web service',
  domain_check: 'domain check',
};

/** Reasons for which a component may be left out, as the session gives them, in Romanian. */
const REASONS_RO: readonly (readonly [english: string, romanian: string])[] = [
  ['there is no web address to judge a source by', 'nu există o adresă web după care să fie judecată sursa'],
  ['left out by the request', 'lăsate deoparte la cerere'],
  ['the page holds no article text', 'pagina nu conține un text de articol'],
  ['the web service is switched off', 'serviciul web este oprit'],
  ['the domain check is switched off', 'verificarea domeniului este oprită'],
  ['the domain check did not answer', 'verificarea domeniului nu a răspuns'],
  [
    'the page could not be fetched because the web service did not answer',
    'pagina nu a putut fi adusă: serviciul web nu a răspuns',
  ],
  ['the page could not be read', 'pagina nu a putut fi citită'],
  ['the component failed', 'analiza a eșuat'],
  ['no answer within', 'niciun răspuns în'],
];

const LOSSES_RO: Readonly<Record<string, string>> = {
  timeout: 'a depășit timpul',
  unavailable: 'indisponibil',
  rate_limited: 'limitat',
  invalid_answer: 'răspuns de nefolosit',
};
const LOSSES_EN: Readonly<Record<string, string>> = {
  timeout: 'took too long',
  unavailable: 'unavailable',
  rate_limited: 'rate limited',
  invalid_answer: 'unusable answer',
};

/** A component or dependency as a reader would call it. */
export function nameOf(part: string, language: 'en' | 'ro'): string {
  return (language === 'ro' ? NAMES_RO : NAMES_EN)[part] ?? part;
}

/** Why a component was left out, in the reader's language where the words are known. */
export function reasonIn(reason: string, language: 'en' | 'ro'): string {
  const known = language === 'ro' ? REASONS_RO.find(([english]) => reason.startsWith(english)) : undefined;
  return known === undefined ? reason : known[1] + reason.slice(known[0].length);
}

/** How a dependency was lost. */
export function lossIn(loss: string, language: 'en' | 'ro'): string {
  return (language === 'ro' ? LOSSES_RO : LOSSES_EN)[loss] ?? loss;
}
