import { COMPONENT_WORDS } from '../../resources/component-blocks.ts';
import {
  asClause,
  capitalised,
  excerpt,
  type FactOf,
  joinWithAnd,
  NEAR_CERTAIN,
  named,
  type Phrasing,
} from './phrasing.ts';

/** Romanian puts "de" between a number and its noun from 20 on, unless the last two digits are 01 to 19. */
export function countOf(count: number, one: string, many: string): string {
  if (count === 1) return one;
  const rest = count % 100;
  return count >= 20 && (rest === 0 || rest >= 20) ? `${count} de ${many}` : `${count} ${many}`;
}

/** A number as the subject of what follows, or the words for one. */
function several(count: number, one: string, many: string): string {
  return count === 1 ? one : `${count} ${many}`;
}

function quoted(quote: string | null): string {
  return quote === null ? '' : ` („${excerpt(quote)}”)`;
}

const one = (value: number) => value.toFixed(1).replace('.', ',');
const whole = (value: number) => String(Math.round(value));

function claimAlone(confirmed: number, partly: number, refuted: string | null): string {
  if (confirmed > 0) return 'Singura afirmație găsită s-a confirmat.';
  return partly > 0
    ? 'Singura afirmație găsită s-a confirmat în parte.'
    : `Singura afirmație găsită nu se susține${quoted(refuted)}.`;
}

/** Claims of which none was decided, by what looking them up brought. */
function claimsUndecided(count: number, { evidence, nothing, never }: FactOf<'claims'>['lookups']): string {
  const found = count === 1 ? 'S-a găsit o afirmație' : `S-au găsit ${countOf(count, '', 'afirmații')}`;
  const [was, it, them] = count === 1 ? ['a fost căutată', 'o', 'ea'] : ['au fost căutate', 'le', 'ele'];
  if (evidence + nothing === 0) return `${found}, care nu ${was} în alte surse.`;
  if (nothing + never === 0)
    return `${found}, dar dovezile disponibile nici nu ${it} confirmă, nici nu ${it} infirmă.`;
  if (evidence + never === 0) return `${found}; ${was} în alte surse, dar nu s-a găsit nimic despre ${them}.`;
  const parts = [
    evidence > 0
      ? `${several(evidence, 'una nu este nici confirmată, nici infirmată', 'nu sunt nici confirmate, nici infirmate')} de dovezile disponibile`
      : '',
    nothing > 0 ? `despre ${nothing === 1 ? 'una' : nothing} nu s-a găsit nimic` : '',
    never > 0 ? `${several(never, 'una nu a fost căutată', 'nu au fost căutate')} în alte surse` : '',
  ];
  return `${found}: ${joinWithAnd(
    parts.filter((part) => part !== ''),
    'și',
  )}.`;
}

const OPEN = {
  evidence: 'nu a putut fi confirmat',
  nothing: 'a fost căutat în alte surse, dar nu s-a găsit nimic',
  never: 'nu a fost verificat',
} as const;

/** Explanations in Romanian. */
export const romanian: Phrasing = {
  language: 'ro',

  verdict({ score, category, inconclusive, confidence }) {
    if (score === null)
      return 'Nu există un scor de risc: nicio verificare nu a putut stabili nimic despre acest material.';
    const sure = `încredere ${whole(confidence * 100)}%`;
    if (inconclusive)
      return `Rezultatul este neconcludent: scorul de risc este ${one(score)} din 100, dar se sprijină pe prea puțin (${sure}).`;
    return `${category.ro}: scorul de risc este ${one(score)} din 100 (${sure}).`;
  },

  override({ reason, from, to }) {
    const moved = to >= from ? 'ridicat' : 'coborât';
    return `Scorul a fost ${moved} de la ${one(from)} la ${one(to)}: ${asClause(reason.ro)}.`;
  },

  techniques({ count, kinds, listed: isListed, strongest }) {
    if (count === 0)
      return isListed
        ? 'Pe alocuri, formularea poate urmări să convingă, dar prea nesigur ca să conteze.'
        : 'În formulări nu s-a găsit nicio tehnică de persuasiune.';
    const names = joinWithAnd(
      strongest.map(({ name, quote }) => named(name.ro, quoted(quote))),
      'și',
    );
    const passages = count === 1 ? 'Un pasaj folosește' : `${countOf(count, '', 'pasaje')} folosesc`;
    const all = kinds <= strongest.length ? ':' : ', mai ales';
    return `${passages} ${countOf(kinds, count === 1 ? 'o tehnică' : 'aceeași tehnică', 'tehnici')} de persuasiune${all} ${names}.`;
  },

  wordingUnread:
    'Formulările nu au fost evaluate: motorul care le citește știe româna și engleza și niciun model de limbaj nu a răspuns.',

  diffuse({ share, quote }, techniques) {
    const percent = Math.max(1, Math.round(share * 100));
    const found = techniques !== null && techniques.count > 0;
    const what =
      share === 0
        ? `luat în ansamblu, textul seamănă cu cele care fac presiuni asupra cititorului sau îl induc în eroare, mai ales aici: „${excerpt(quote)}”.`
        : `${percent}% dintre propoziții sunt părtinitoare, de pildă „${excerpt(quote)}”.`;
    if (techniques === null) return capitalised(what);
    if (found) return share === 0 ? capitalised(what) : `Pe lângă aceasta, ${what}`;
    const but = share === 0 ? 'dar,' : 'dar';
    return techniques.listed
      ? `Niciun pasaj luat separat nu arată o tehnică suficient de clar ca să conteze, ${but} ${what}`
      : `Niciun pasaj luat separat nu arată o tehnică anume, ${but} ${what}`;
  },

  claims({ total, verifiedTrue, verifiedFalse, partly, undecided, opinions, refuted, lookups }) {
    if (total === 0) return 'Nu s-a găsit nicio afirmație care să poată fi verificată.';
    if (total === opinions)
      return 'Materialul conține opinii, dar nicio afirmație care să poată fi verificată.';
    if (verifiedTrue + verifiedFalse + partly === 0) return claimsUndecided(undecided, lookups);
    const parts = [
      verifiedFalse > 0
        ? `${several(verifiedFalse, 'una nu se susține', 'nu se susțin')}${quoted(refuted)}`
        : '',
      verifiedTrue > 0 ? several(verifiedTrue, 'una s-a confirmat', 's-au confirmat') : '',
      partly > 0 ? several(partly, 'una s-a confirmat în parte', 's-au confirmat în parte') : '',
      undecided > 0 ? several(undecided, 'una nu a putut fi lămurită', 'nu au putut fi lămurite') : '',
      opinions > 0 ? several(opinions, 'una este o opinie', 'sunt opinii') : '',
    ].filter((part) => part !== '');
    if (total === 1) return claimAlone(verifiedTrue, partly, refuted);
    if (verifiedTrue === total) return `Toate cele ${countOf(total, '', 'afirmații')} s-au confirmat.`;
    if (verifiedFalse === total) {
      return `Niciuna dintre cele ${countOf(total, '', 'afirmații')} nu se susține${quoted(refuted)}.`;
    }
    return `Din ${countOf(total, 'o afirmație', 'afirmații')}, ${joinWithAnd(parts, 'și')}.`;
  },

  source({ domain, trust, lists }) {
    if (lists.length === 1) return `Sursa ${domain} figurează pe lista surselor nesigure a ${lists[0]}.`;
    if (lists.length > 1)
      return `Sursa ${domain} figurează pe liste de surse nesigure: ${joinWithAnd(lists, 'și')}.`;
    if (trust === null) return `Nu s-a putut aprecia cât de demnă de încredere este sursa ${domain}.`;
    return `Sursa ${domain} are un scor de încredere de ${whole(trust)} din 100.`;
  },

  ai({ verdict, probability, sign, isPicture }) {
    const why = sign === null ? '' : `: ${asClause(sign.ro)}`;
    const likely =
      probability === null
        ? ''
        : ` (probabilitate ${probability >= NEAR_CERTAIN ? 'peste 99' : whole(probability)}%)`;
    switch (verdict) {
      case 'strong_evidence':
        return `Există dovezi puternice de generare cu IA sau de falsificare${likely}${why}.`;
      case 'likely_ai_or_tampered':
        return `Materialul este probabil generat cu IA sau falsificat${likely}${why}.`;
      case 'disclosed_ai':
        return 'Folosirea IA este declarată deschis.';
      case 'authenticated_capture':
        return 'Datele de proveniență semnate și de încredere arată o înregistrare autentică.';
      case 'no_ai_or_tampering_found':
        return 'Nu s-au găsit semne de generare cu IA sau de falsificare.';
      default:
        return isPicture
          ? 'Imaginea a fost examinată și nu s-a găsit nimic hotărâtor; aceasta nu arată că este autentică.'
          : null;
    }
  },

  pictures({ kind, sign }) {
    if (kind === 'decided')
      return 'Asupra unei imagini principale din pagină, sau a unei copii apropiate, s-au pronunțat deja oameni; fișa analizei arată ce au constatat.';
    if (kind === 'declared')
      return 'O imagine principală din pagină declară că a fost făcută cu IA, în întregime sau în parte; aceasta nu spune nimic despre text.';
    const why = sign === null ? '' : ` (${asClause(sign.ro)})`;
    return `O imagine principală din pagină are urme de falsificare sau de generare cu IA${why}; ea nu intră în scor.`;
  },

  label(fact) {
    return fact.ro;
  },

  context(lines) {
    const sentences = lines.map(({ name, quote }) => `${asClause(name.ro)}${quoted(quote)}`);
    if (sentences.length === 0) return null;
    return `${capitalised(sentences.join('; '))}.`;
  },

  scam({ name, quotes, advice }) {
    const excerpts = quotes.map((quote) => `„${excerpt(quote)}”`).join(', ');
    return `Are semnele unei capcane: ${asClause(name.ro)} (${excerpts}). ${advice.ro}`;
  },

  lost(components) {
    if (components.length === 0) return null;
    const what = joinWithAnd(
      components.map((name) => COMPONENT_WORDS[name].subject.ro),
      'și',
    );
    return `Nu s-au verificat, pentru că serviciul nu a răspuns: ${what}.`;
  },

  nearReview({ quote, claim, publisher }) {
    return `Ce spune textul${quoted(quote)} seamănă cu o afirmație verificată și găsită falsă${quoted(claim)} de ${publisher}; poate spune altceva, așa că merită comparate.`;
  },

  unchecked({ subject, quote, how, lookup }) {
    return `Ce spune despre ${subject.ro} ${OPEN[lookup]}${quoted(quote)}: ${how.ro}.`;
  },

  advice(fact) {
    return fact.ro;
  },
};
