import type { LocalizedText } from '../../foundation/localized-text.ts';
import { MEDIA_REASONS } from './media-reasons.ts';

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
  media_not_analysed: {
    en: 'Content of this kind was not analysed by the release that made this session.',
    ro: 'Versiunea care a făcut această sesiune nu analiza acest fel de conținut.',
  },
  quick_fetches_nothing: {
    en: 'The quick check fetches nothing, and the address alone shows no trace that could be judged.',
    ro: 'Verificarea rapidă nu preia nimic, iar adresa singură nu arată vreo urmă care să poată fi evaluată.',
  },
  ...MEDIA_REASONS,
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
  page_robots_disallowed: unreadable(
    'its host does not let automatic readers in',
    'gazda nu permite accesul cititorilor automați',
  ),
  page_paywalled: unreadable('it is for subscribers', 'este rezervată abonaților'),
  page_busy: unreadable(
    'too many pages are being read at this moment',
    'prea multe pagini sunt citite în acest moment',
  ),
  page_unavailable: unreadable(
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

  // Why a check of the source gave no answer.
  check_failed: { en: 'It failed.', ro: 'A eșuat.' },
  check_timeout: { en: 'No answer came in time.', ro: 'Nu a venit niciun răspuns la timp.' },
  check_unreachable: { en: 'The server could not be reached.', ro: 'Serverul nu a putut fi contactat.' },
  check_unreachable_lately: {
    en: 'The server could not be reached shortly before, so it was not asked again.',
    ro: 'Serverul nu a putut fi contactat cu puțin timp înainte, așa că nu a mai fost întrebat.',
  },
  check_unreliable_resolver: {
    en: 'The name servers of this installation gave no reliable answer.',
    ro: 'Serverele de nume ale acestei instalări nu au dat un răspuns sigur.',
  },
  check_name_servers_silent: {
    en: 'The name servers of the domain do not answer.',
    ro: 'Serverele de nume ale domeniului nu răspund.',
  },
  check_no_name_records: {
    en: 'The name could not be resolved.',
    ro: 'Numele nu a putut fi rezolvat.',
  },
  check_no_address: { en: 'The name has no address.', ro: 'Numele nu are nicio adresă.' },
  check_private_address: {
    en: 'The name leads to a private address.',
    ro: 'Numele duce la o adresă privată.',
  },
  check_connection_closed: {
    en: 'The server closed the connection.',
    ro: 'Serverul a închis conexiunea.',
  },
  check_busy: { en: 'Too many checks were waiting.', ro: 'Prea multe verificări erau în așteptare.' },
  check_rate_limited: {
    en: 'The server refused: too many requests.',
    ro: 'Serverul a refuzat: prea multe cereri.',
  },
  check_invalid_answer: {
    en: 'The server gave an answer that cannot be used.',
    ro: 'Serverul a dat un răspuns care nu poate fi folosit.',
  },
  check_switched_off: { en: 'It is switched off here.', ro: 'Este oprită aici.' },
  check_not_requested: { en: 'It was not requested.', ro: 'Nu a fost cerută.' },
  check_hosted_name: {
    en: 'The name belongs to a platform that hosts many sites.',
    ro: 'Numele aparține unei platforme care găzduiește multe site-uri.',
  },
  check_no_registry_server: {
    en: 'The registry of this suffix answers no such questions.',
    ro: 'Registrul acestei extensii nu răspunde la astfel de întrebări.',
  },
  check_ip_address: {
    en: 'The address is a number, not a name.',
    ro: 'Adresa este un număr, nu un nume.',
  },
  check_single_label: {
    en: 'The name is no domain: it has one part only.',
    ro: 'Numele nu este un domeniu: are o singură parte.',
  },
  check_special_use_name: {
    en: 'The name is reserved for special uses.',
    ro: 'Numele este rezervat pentru folosiri speciale.',
  },
  check_public_suffix: {
    en: 'The name is a suffix under which others register.',
    ro: 'Numele este o extensie sub care se înregistrează alții.',
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

  // What lowered or limited the confidence of a verdict.
  model_fallback: {
    en: 'A model or an engine answered in place of another one.',
    ro: 'Un model sau un motor a răspuns în locul altuia.',
  },
  degraded_component: {
    en: 'A check lacked a part of what it rests on.',
    ro: 'Unei verificări i-a lipsit o parte din datele pe care se sprijină.',
  },
  short_text: { en: 'The text is short.', ro: 'Textul este scurt.' },
  out_of_scope_media: {
    en: 'The content lies outside what a detector was measured on.',
    ro: 'Un detector nu a fost evaluat pe conținut de acest fel.',
  },
  language_outside_ro_en: {
    en: 'The text is neither in Romanian nor in English.',
    ro: 'Textul nu este nici în română, nici în engleză.',
  },
  unusual_form: {
    en: 'The text is code, a list or verse, and the engines were made for running text.',
    ro: 'Textul este cod, o listă sau versuri, iar motoarele au fost făcute pentru text obișnuit.',
  },
  near_band_edge: {
    en: 'The score lies near the edge between two categories.',
    ro: 'Scorul este aproape de limita dintre două categorii.',
  },
  without_independent_evidence: {
    en: 'There is no independent evidence for any claim.',
    ro: 'Nu există dovezi independente pentru nicio afirmație.',
  },
  below_min_components: {
    en: 'Too few checks gave a result.',
    ro: 'Prea puține verificări au dat un rezultat.',
  },

  // Why a score of a verdict has no number.
  no_claim_decided: {
    en: 'No claim was decided: there was none to check, or the evidence did not decide it.',
    ro: 'Despre nicio afirmație nu s-a putut stabili dacă este adevărată: nu a fost nimic de verificat sau dovezile nu au fost hotărâtoare.',
  },
  source_not_scored: {
    en: 'Too little is known of the source for a score.',
    ro: 'Se știe prea puțin despre sursă pentru un scor.',
  },
  wording_not_read: {
    en: 'The engine for wording reads English and Romanian: that it finds nothing in another language says nothing.',
    ro: 'Motorul pentru formulări citește româna și engleza: faptul că nu găsește nimic în altă limbă nu spune nimic.',
  },
  traces_decide_nothing: {
    en: 'What was found or not found decides nothing, so that it takes no part in the risk score.',
    ro: 'Ce s-a găsit sau nu s-a găsit nu decide nimic, deci nu intră în scorul de risc.',
  },
  nothing_to_measure: {
    en: 'There was nothing to measure.',
    ro: 'Nu a fost nimic de măsurat.',
  },

  // Which rule changed the number of a verdict.
  human_ground_truth: { en: 'A reviewer decided the result.', ro: 'Un verificator a decis rezultatul.' },
  known_false_match: {
    en: 'It matches content already fact-checked as false.',
    ro: 'Corespunde unui material despre care s-a stabilit deja că este fals.',
  },
  verified_false_majority: {
    en: 'Most of the decided claims are false.',
    ro: 'Cele mai multe dintre afirmațiile lămurite s-au dovedit false.',
  },
  undisclosed_synthetic_as_real: {
    en: 'Synthetic media is presented as a real record.',
    ro: 'Un material sintetic este prezentat ca înregistrare reală.',
  },
  domain_blacklisted: {
    en: 'The source is on a maintained blacklist.',
    ro: 'Sursa figurează pe o listă neagră ținută la zi.',
  },
  peak_signal: {
    en: 'One component found something serious on its own.',
    ro: 'O componentă a găsit singură ceva grav.',
  },
  scam_lure: {
    en: 'The text reads like a lure that costs money, data or health.',
    ro: 'Textul seamănă cu o capcană care costă bani, date sau sănătate.',
  },
  one_sided_article: {
    en: 'As a whole the article reads like those that take sides. That makes nothing in it false: look for what the other side says.',
    ro: 'În ansamblu, articolul seamănă cu cele părtinitoare. Asta nu face nimic fals în el: căutați și ce spune cealaltă parte.',
  },
  explicit_satire: {
    en: 'The content is labelled satire in its own context.',
    ro: 'Materialul este etichetat ca satiră în propriul context.',
  },
  persuasion_only: {
    en: 'Nothing that was found shows that the content is false or fabricated.',
    ro: 'Nimic din ce s-a găsit nu arată că materialul este fals sau fabricat.',
  },
  explicit_ai_disclosure: {
    en: 'The use of AI is openly disclosed.',
    ro: 'Folosirea IA este declarată deschis.',
  },
  trusted_source: {
    en: 'The source has a strong record, and nothing speaks against it.',
    ro: 'Sursa are un istoric solid și nimic nu arată vreo problemă.',
  },
  insufficient_components: {
    en: 'Too few components could run.',
    ro: 'Au putut rula prea puține componente.',
  },
} as const satisfies Record<string, LocalizedText>;
