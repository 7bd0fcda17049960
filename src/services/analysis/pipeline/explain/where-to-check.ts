import type { LocalizedText } from '../../../../foundation/localized-text.ts';
import { fold } from '../../../../text/folding.ts';
import { type NamedTopic, topicsIn } from '../../engines/context/topic.ts';
import type { ClaimItem } from '../../resources/claims-result.ts';

/** What a claim is about, and where readers can check it. */
export interface Advice {
  subject: LocalizedText;
  how: LocalizedText;
}

/** Sensitive topics, on which an unchecked claim is always mentioned, with advice where to check it. */
const CHECKED_AT = {
  public_health: {
    subject: { en: 'health', ro: 'sănătate' },
    how: {
      en: 'ask a doctor or look at the health authority before you act on it',
      ro: 'întrebați medicul sau consultați autoritatea sanitară înainte de a-i da urmare',
    },
  },
  elections: {
    subject: { en: 'elections', ro: 'alegeri' },
    how: {
      en: 'compare it with the electoral authority and with two news agencies',
      ro: 'comparați cu datele autorității electorale și cu două agenții de presă',
    },
  },
  war_security: {
    subject: { en: 'war or security', ro: 'război sau securitate' },
    how: {
      en: 'compare it with at least two news agencies',
      ro: 'comparați cu cel puțin două agenții de presă',
    },
  },
  disaster_emergency: {
    subject: { en: 'the emergency', ro: 'situația de urgență' },
    how: {
      en: 'follow the emergency services and two news agencies',
      ro: 'urmăriți anunțurile serviciilor de urgență și două agenții de presă',
    },
  },
  economy_banking: {
    subject: { en: 'money', ro: 'bani' },
    how: {
      en: 'compare it with the official figures',
      ro: 'comparați cu datele oficiale',
    },
  },
} as const satisfies Record<string, Advice>;

type Checked = keyof typeof CHECKED_AT;

/** Where money can be lost by acting on a claim. */
const BANKING: Advice = {
  subject: CHECKED_AT.economy_banking.subject,
  how: {
    en: 'compare it with the official figures, and ask the financial supervisor before you pay or invest',
    ro: 'comparați cu datele oficiale și întrebați autoritatea de supraveghere financiară înainte de a plăti sau de a investi',
  },
};

/** What a statement on an election speaks of: voting, its results, its conduct. Patterns read folded text. */
const ELECTORAL =
  /\b(?:vot(?:e|es|ing|ers?|ed for)\b|ballot|polling|poll(?:s|ing)? (?:open|close)|turnout|recount|count(?:ed|ing)?\b|results?\b|rig(?:ged|ging|s)\b|st(?:eal|ole|olen)\b|fraud|w[io]ns?\b|lost\b|postpone|annul|cancel|run-?off|candidat|certif|observers?\b|threshold|percent|per cent|referendum|will be held|was held|take place|vot(?:ul|uri|urile|urilor|area|ului|anti\w*|eaza)?\b|buletin|urn(?:e|a|ele)\b|numarat|rezultat|fraud|furat|castigat|pierdut|amanat|anulat|turul|prezenta la|scrutin|alegator|la suta|sectii|sectie|au loc|va avea loc|vor avea loc|pixuri)/;

/** A vote that was taken from the voters, in whatever text. */
const STOLEN_VOTE =
  /\b(?:rigg\w+|steal\w*|stole\w*|fur(?:at|a|ati|ate)) (?:\w+ ){0,2}(?:votes?|elections?|votul|voturile|alegerile)\b|\b(?:votes?|elections?|votul|voturile|alegerile) (?:\w+ ){0,2}(?:rigged|stolen|furat\w*|fraudat\w*)\b/;

/** Someone's own record as a voter says nothing on an election. */
const OWN_RECORD =
  /^(?:i|i've|i'm|my|we|we've|our|eu|noi|am|m-am|mi-am|sotul|sotia|mama|tata|bunic\w*)\b|\bvoted in (?:every|each|all)\b|\b(?:a|au|am) votat (?:la|in) (?:toate|fiecare)\b/;

/** Deposits, banks, investing, currency. */
const MONEY_AT_RISK =
  /\b(?:banks?|banking|deposit\w*|savings|invest\w*|shares?|stocks?|bonds?|currency|currencies|crypto\w*|bitcoin|loans?|mortgages?|interest rates?|pension funds?|credit|accounts?|withdraw\w*|digital euro|banc(?:a|ile|ii|i|ilor)|depozit\w*|economii\w*|actiuni\w*|obligatiuni\w*|valut\w*|leul(?:ui)?|euro digital|cripto\w*|credite?\w*|ipotec\w*|imprumut\w*|dobanda\w*|dobanzi\w*|fond\w* de pensii|conturi\w*|contul\w*|retrage\w*|bani(?:i|lor))\b/;

/** What the whole text is about. */
interface TextSubject {
  topic: string;
  /** The share and the number of different words of each topic; none in older records. */
  topics: ReadonlyMap<string, { share: number; terms: number }>;
}

/** From here on the text as a whole bears out a topic that a claim names by one word: by its share, or by different words of it. */
const BORNE_OUT = { share: 0.5, terms: 2 } as const;
/** A text is about a topic that a claim does not name when it has so many words of it and this share of all topic words. */
const ABOUT = { terms: 3, share: 0.4 } as const;

const isShare = (row: unknown): row is { code: string; share: number; terms?: unknown } =>
  typeof row === 'object' && row !== null && 'code' in row && 'share' in row && typeof row.share === 'number';

/** What the record says of the subject of the text. */
export function textSubjectOf({ topic, topics }: Record<string, unknown>): TextSubject {
  const rows = Array.isArray(topics) ? topics.filter(isShare) : [];
  return {
    topic: String(topic),
    topics: new Map(
      rows.map(({ code, share, terms }) => [code, { share, terms: typeof terms === 'number' ? terms : 0 }]),
    ),
  };
}

const isChecked = (code: string): code is Checked => code in CHECKED_AT;

/** Where to check a claim by what its own sentence says; undefined when it names no such topic. */
export function adviceByClaim(claim: StatedClaim, subject: TextSubject): Advice | undefined {
  if (STOLEN_VOTE.test(plain(claim.text))) return CHECKED_AT.elections;
  for (const topic of topicsIn(claim.text)) {
    const { code, strong, terms } = topic;
    if (!isChecked(code)) continue;
    if (code === 'elections') {
      if ((strong || terms > 1) && isElectoral(claim)) return CHECKED_AT.elections;
    } else if (code === 'economy_banking' && isMoneyAtRisk(claim)) return BANKING;
    else if (isBorneOut(topic, subject) && (strong || code !== 'economy_banking')) return CHECKED_AT[code];
  }
  return undefined;
}

type StatedClaim = Pick<ClaimItem, 'text' | 'type'>;

const plain = (text: string) => fold(text, 'strip').text.trim();

function isElectoral({ text, type }: StatedClaim): boolean {
  const words = plain(text);
  return type !== 'personal_experience' && ELECTORAL.test(words) && !OWN_RECORD.test(words);
}

const isMoneyAtRisk = ({ text }: StatedClaim) => MONEY_AT_RISK.test(plain(text));

/** One word may stand for anything ("landslide"): two of the claim, or the rest of the text, have to bear it out. */
function isBorneOut({ code, terms }: NamedTopic, { topics }: TextSubject): boolean {
  const text = topics.get(code);
  if (terms > 1 || topics.size === 0) return true;
  return text !== undefined && (text.share >= BORNE_OUT.share || text.terms >= BORNE_OUT.terms);
}

/** Where to check a claim that names no topic, by a topic that the whole text clearly has; of votes and money it has to speak itself. */
export function adviceByText(claim: StatedClaim, { topic, topics }: TextSubject): Advice | undefined {
  if (!isChecked(topic)) return undefined;
  const found = topics.get(topic);
  if (found === undefined || found.terms < ABOUT.terms || found.share < ABOUT.share) return undefined;
  if (topic === 'elections') return isElectoral(claim) ? CHECKED_AT.elections : undefined;
  if (topic === 'economy_banking') return isMoneyAtRisk(claim) ? BANKING : undefined;
  return CHECKED_AT[topic];
}
