import { z } from 'zod';

/** The languages in which every reason can be read. */
export type ReasonLanguage = 'en' | 'ro';

/** A phrase in both languages. */
interface Phrase {
  readonly en: string;
  readonly ro: string;
}

/** Names of components and dependencies inside a sentence. */
const PARTS: Readonly<Record<string, Phrase>> = {
  techniques: { en: 'the check of wording', ro: 'verificarea formulărilor' },
  ai_tampered: { en: 'the check for AI and tampering', ro: 'verificarea urmelor de IA și de falsificare' },
  claims: { en: 'the check of claims', ro: 'verificarea afirmațiilor' },
  domain: { en: 'the check of the source', ro: 'verificarea sursei' },
  llm: { en: 'the text model', ro: 'modelul de limbaj' },
  vision: { en: 'the vision model', ro: 'modelul de analiză a imaginilor' },
  speech: { en: 'the speech server', ro: 'serverul de transcriere' },
  video: { en: 'the video service', ro: 'serviciul video' },
  extractors: { en: 'the extraction service', ro: 'serviciul de extragere' },
  forensic: { en: 'the forensic service', ro: 'serviciul de analiză criminalistică' },
  brain: { en: 'the verification cache', ro: 'arhiva de verificări' },
  web: { en: 'the web service', ro: 'serviciul web' },
  domain_check: { en: 'the domain check', ro: 'verificarea domeniului' },
  embeddings: { en: 'the embeddings service', ro: 'serviciul de vectori semantici' },
  reranking: { en: 'the reranking service', ro: 'serviciul de reordonare' },
};

const unreadable = <En extends string, Ro extends string>(en: En, ro: Ro) =>
  ({ en: `The page could not be read: ${en}.`, ro: `Pagina nu a putut fi citită: ${ro}.` }) as const;

/**
 * Every reason that the analysis gives, as a sentence in both languages; names in braces are values. A reason is
 * kept as its code with its values, and becomes words only where it is shown.
 */
export const REASONS = {
  // Why a component was left out.
  left_out_by_request: {
    en: 'The request left this check out.',
    ro: 'Cererea nu include această verificare.',
  },
  no_web_address: {
    en: 'There is no web address to judge a source by.',
    ro: 'Nu există o adresă web după care să poată fi evaluată sursa.',
  },
  no_text: { en: 'There is no text to analyse.', ro: 'Nu există un text de analizat.' },
  no_article_text: {
    en: 'The page holds no article text.',
    ro: 'Pagina nu conține un text de articol.',
  },
  web_service_off: { en: 'The web service is switched off.', ro: 'Serviciul web este oprit.' },
  domain_check_off: {
    en: 'The domain check is switched off.',
    ro: 'Verificarea domeniului este oprită.',
  },
  web_service_lost: {
    en: 'The page could not be fetched because the web service did not answer.',
    ro: 'Pagina nu a putut fi preluată, deoarece serviciul web nu a răspuns.',
  },
  page_step_failed: unreadable('the step failed repeatedly', 'operația a eșuat de mai multe ori'),
  page_unreadable: { en: 'The page could not be read.', ro: 'Pagina nu a putut fi citită.' },
  page_url_not_allowed: unreadable('its address is not allowed', 'adresa nu este permisă'),
  page_dns_failed: unreadable('the name of its host is unknown', 'numele gazdei nu a putut fi rezolvat'),
  page_connection_failed: unreadable('its host could not be reached', 'gazda nu a putut fi contactată'),
  page_tls_failed: unreadable(
    'no trusted encrypted connection could be made',
    'nu s-a putut stabili o conexiune criptată de încredere',
  ),
  page_timeout: unreadable('its host did not answer in time', 'gazda nu a răspuns la timp'),
  page_too_large: unreadable('it is larger than the limit', 'depășește dimensiunea admisă'),
  page_unsupported_type: unreadable(
    'it is of a type that is not read',
    'este de un tip care nu poate fi citit',
  ),
  page_decoding_failed: unreadable(
    'it is damaged or its encoding is unknown',
    'este deteriorată sau codificarea ei este necunoscută',
  ),
  page_too_many_redirects: unreadable(
    'its address is redirected too often',
    'adresa este redirecționată de prea multe ori',
  ),
  page_invalid_answer: unreadable(
    'its host does not answer in proper HTTP',
    'gazda nu respectă protocolul HTTP',
  ),
  page_rate_limited: unreadable(
    'too many requests to its host are waiting',
    'prea multe cereri către gazdă sunt în așteptare',
  ),
  page_aborted: unreadable('the request was withdrawn', 'cererea a fost retrasă'),
  page_http_status: unreadable('its host answered status {status}', 'gazda a răspuns cu starea {status}'),
  page_bot_wall: unreadable('it is closed to automatic readers', 'este închisă cititorilor automați'),
  page_consent_wall: unreadable(
    'it shows nothing before a consent is given',
    'nu arată nimic înainte de acordarea unui consimțământ',
  ),
  page_soft_not_found: unreadable('it says that it does not exist', 'anunță că nu există'),
  page_needs_javascript: unreadable('it needs JavaScript', 'are nevoie de JavaScript'),
  page_text_too_short: unreadable('it holds too little text', 'conține prea puțin text'),
  page_extraction_failed: unreadable('its text could not be extracted', 'textul ei nu a putut fi extras'),
  page_not_available: unreadable(
    'no way to fetch it is available',
    'nu este disponibilă nicio metodă de preluare',
  ),

  // Why a component that ran gave nothing.
  no_answer_in_time: {
    en: 'No answer came within {seconds} s.',
    ro: 'Nu a venit niciun răspuns în {seconds} s.',
  },
  component_failed: { en: 'The check failed.', ro: 'Verificarea a eșuat.' },
  component_failed_repeatedly: {
    en: 'The check failed repeatedly.',
    ro: 'Verificarea a eșuat de mai multe ori.',
  },
  domain_check_lost: {
    en: 'The domain check did not answer.',
    ro: 'Verificarea domeniului nu a răspuns.',
  },

  // How a dependency was lost.
  timeout: { en: '{part} did not answer in time.', ro: '{part} nu a răspuns la timp.' },
  unavailable: { en: '{part} gave no answer.', ro: '{part} nu a dat niciun răspuns.' },
  rate_limited: {
    en: '{part} refused the call: too many requests.',
    ro: '{part} a refuzat apelul: prea multe cereri.',
  },
  invalid_answer: {
    en: '{part} gave an answer that cannot be used.',
    ro: '{part} a dat un răspuns care nu poate fi folosit.',
  },

  // What the loss of a dependency did to the result.
  own_engine: {
    en: '{part} is not connected: an engine of our own answered.',
    ro: 'Fără {part}: a răspuns un motor propriu.',
  },
  fallback: {
    en: 'An engine of our own answered instead.',
    ro: 'A răspuns în schimb un motor propriu.',
  },
  part_missing: {
    en: 'What it would have added is missing.',
    ro: 'Lipsește ceea ce ar fi adăugat la rezultat.',
  },
  component_lost: { en: 'Its result is missing.', ro: 'Lipsește rezultatul acestei verificări.' },

  // Why there is no probability that a machine wrote a text.
  ai_text_too_short: {
    en: 'Under {words} words, style tells nothing about who wrote a text.',
    ro: 'Sub {words} de cuvinte, stilul nu spune nimic despre cine a scris textul.',
  },
  ai_language_not_measured: {
    en: 'The trained detector was measured on English alone, so it gives no probability for this language.',
    ro: 'Detectorul antrenat a fost măsurat numai pe engleză, așa că nu dă o probabilitate pentru această limbă.',
  },

  // Which rule changed the number of a verdict.
  human_ground_truth: { en: 'A reviewer decided the result.', ro: 'Un verificator a decis rezultatul.' },
  known_false_match: {
    en: 'It matches content already fact-checked as false.',
    ro: 'Se potrivește cu un material deja verificat ca fals.',
  },
  verified_false_majority: {
    en: 'Most of the decided claims are false.',
    ro: 'Cele mai multe afirmații decise sunt false.',
  },
  undisclosed_synthetic_as_real: {
    en: 'Synthetic media is presented as a real record.',
    ro: 'Un material sintetic este prezentat ca înregistrare reală.',
  },
  domain_blacklisted: {
    en: 'The source is on a maintained blacklist.',
    ro: 'Sursa se află pe o listă neagră întreținută.',
  },
  peak_signal: {
    en: 'One component found something serious on its own.',
    ro: 'O componentă a găsit singură ceva grav.',
  },
  explicit_satire: {
    en: 'The content is labelled satire in its own context.',
    ro: 'Materialul este etichetat ca satiră în propriul context.',
  },
  persuasion_only: {
    en: 'Only wording was found; nothing shows that the content is false or fabricated.',
    ro: 'S-a găsit doar formulare persuasivă; nimic nu arată că materialul este fals sau fabricat.',
  },
  explicit_ai_disclosure: {
    en: 'The use of AI is openly disclosed.',
    ro: 'Folosirea IA este declarată deschis.',
  },
  trusted_source: {
    en: 'The source has a strong record and nothing else is wrong.',
    ro: 'Sursa are un istoric solid și nimic altceva nu e în neregulă.',
  },
  insufficient_components: {
    en: 'Too few components could run.',
    ro: 'Au putut rula prea puține componente.',
  },
} as const satisfies Record<string, Phrase>;

/** What may stand in braces in a sentence; `part` is a component or a dependency. */
interface ValueTypes {
  part: string;
  seconds: number;
  status: number;
  words: number;
}

type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** Code of a reason. */
export type ReasonCode = keyof typeof REASONS;

/** The values that a sentence needs, in either language. */
type ValuesOf<Code extends ReasonCode> = {
  readonly [Name in Placeholders<(typeof REASONS)[Code][ReasonLanguage]> &
    keyof ValueTypes]: ValueTypes[Name];
};

/** A reason of one code, with the values of its sentence. */
export type ReasonOf<Code extends ReasonCode> = {
  [Each in Code]: { readonly code: Each; readonly values: ValuesOf<Each> };
}[Code];

/** A reason: a code of the table with the values of its sentence. */
export type Reason = ReasonOf<ReasonCode>;

/** All codes, in the order of the table. */
export const REASON_CODES = Object.keys(REASONS) as ReasonCode[];

const placeholder = /\{(\w+)\}/g;

function isReason(value: unknown): value is Reason {
  const parsed = z
    .object({ code: z.enum(REASON_CODES), values: z.record(z.string(), z.union([z.string(), z.number()])) })
    .safeParse(value);
  if (!parsed.success) return false;
  const { code, values } = parsed.data;
  return [...REASONS[code].en.matchAll(placeholder)].every(([, name = '']) => name in values);
}

/** A stored reason, checked against the table. */
export const storedReason = z.custom<Reason>(isReason, 'no reason of the table');

function printed(name: string, value: string | number | undefined, language: ReasonLanguage): string {
  if (name === 'part') return PARTS[String(value)]?.[language] ?? String(value);
  const text = String(value);
  return typeof value === 'number' && language === 'ro' ? text.replace('.', ',') : text;
}

/** The sentence of a reason in a language: the one place where a reason becomes words. */
export function sentence(reason: Reason, language: ReasonLanguage): string {
  const values: Readonly<Record<string, string | number>> = reason.values;
  const text = REASONS[reason.code][language].replace(placeholder, (_, name: string) =>
    printed(name, values[name], language),
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The form of a reason in answers: its code, and its sentence in English and Romanian. */
export function reasonFields(reason: Reason) {
  return { code: reason.code, reason: sentence(reason, 'en'), reason_ro: sentence(reason, 'ro') };
}

/** How a dependency failed us. */
export const LOSS_REASONS = [
  'timeout',
  'unavailable',
  'rate_limited',
  'invalid_answer',
] as const satisfies ReasonCode[];
/**
 * What a loss did: `own_engine` the dependency is off by setting and our engine answers at no cost; `fallback` it was
 * lost and another engine stood in; `part_missing` the part has no other engine; `component_lost` a component gave nothing.
 */
export const LOSS_EFFECTS = [
  'own_engine',
  'fallback',
  'part_missing',
  'component_lost',
] as const satisfies ReasonCode[];

/** A dependency that did not do its part, and what that did to the result. */
export interface Degradation {
  readonly dependency: string;
  readonly reason: (typeof LOSS_REASONS)[number];
  readonly effect: (typeof LOSS_EFFECTS)[number];
}

function message({ dependency, reason, effect }: Degradation, language: ReasonLanguage): string {
  const values = { part: dependency };
  if (effect === 'own_engine') return sentence({ code: effect, values }, language);
  return `${sentence({ code: reason, values }, language)} ${sentence({ code: effect, values: {} }, language)}`;
}

/** The form of a loss in answers: with a message in English and Romanian. */
export function degradationFields(degradation: Degradation) {
  const { dependency, reason, effect } = degradation;
  return {
    dependency,
    reason,
    effect,
    message: message(degradation, 'en'),
    message_ro: message(degradation, 'ro'),
  };
}
