import data from '../../../../../data/wording/where-to-check.json' with { type: 'json' };
import type { LocalizedText } from '../../../../foundation/localized-text.ts';
import { fold } from '../../../../text/folding.ts';
import { type NamedTopic, topicsIn } from '../../engines/context/topic.ts';
import type { ClaimItem } from '../../resources/claims-result.ts';
import { wordingOf } from '../../wording.ts';

/** What a claim is about, and where readers can check it. */
export interface Advice {
  subject: LocalizedText;
  how: LocalizedText;
}

/** Sensitive topics, on which an unchecked claim is always mentioned, with advice where to check it. */
const CHECKED_AT = data.advice satisfies Record<string, Advice>;

type Checked = keyof typeof CHECKED_AT;

/** Where money can be lost by acting on a claim. */
const BANKING: Advice = data.advice_where_money_can_be_lost;

const wording = wordingOf(data);
const ELECTORAL = wording('electoral');
const STOLEN_VOTE = wording('stolen_vote');
const OWN_RECORD = wording('own_record');
const MONEY_AT_RISK = wording('money_at_risk');

/** What the whole text is about. */
interface TextSubject {
  topic: string;
  /** The share and the number of different words of each topic; none in older records. */
  topics: ReadonlyMap<string, { share: number; terms: number }>;
  /** Whether the shares are chances by a model. */
  isByModel: boolean;
}

/** From here on the text as a whole bears out a topic that a claim names by one word: by its share, or by different words of it. */
const BORNE_OUT = { share: 0.5, terms: 2 } as const;
/** Without a model, a text is about a topic that a claim does not name when it has so many words of it and this share of all topic words. */
const ABOUT = { terms: 3, share: 0.4 } as const;

const isShare = (row: unknown): row is { code: string; share: number; terms?: unknown } =>
  typeof row === 'object' && row !== null && 'code' in row && 'share' in row && typeof row.share === 'number';

/** What the record says of the subject of the text. */
export function textSubjectOf({ topic, topics, topics_by: by }: Record<string, unknown>): TextSubject {
  const rows = Array.isArray(topics) ? topics.filter(isShare) : [];
  return {
    topic: String(topic),
    topics: new Map(
      rows.map(({ code, share, terms }) => [code, { share, terms: typeof terms === 'number' ? terms : 0 }]),
    ),
    isByModel: by === 'model',
  };
}

const isChecked = (code: string): code is Checked => code in CHECKED_AT;

/** Where to check a claim by what its own sentence says; undefined when it names no such topic. */
export function adviceByClaim(claim: StatedClaim, subject: TextSubject): Advice | undefined {
  if (STOLEN_VOTE.test(plain(claim.text))) return CHECKED_AT.elections;
  for (const topic of topicsIn(claim.text)) {
    const { code, strong, terms } = topic;
    if (!isChecked(code) || isRuledOut(code, subject)) continue;
    if (code === 'elections') {
      if ((strong || terms > 1) && isElectoral(claim)) return CHECKED_AT.elections;
    } else if (code === 'economy_banking' && isMoneyAtRisk(claim)) return BANKING;
    else if (isBorneOut(topic, subject) && (strong || code !== 'economy_banking')) return CHECKED_AT[code];
  }
  return undefined;
}

/** Whether the model gives the text hardly a chance of a topic: the claim has a word of it in another sense ("took credit", "fires a judge"). */
const isRuledOut = (code: Checked, { topics, isByModel }: TextSubject) => isByModel && !topics.has(code);

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

function isAbout(code: string, { topics, isByModel }: TextSubject): boolean {
  const found = topics.get(code);
  if (found === undefined) return false;
  // A topic that the model names needs no words.
  return isByModel || (found.terms >= ABOUT.terms && found.share >= ABOUT.share);
}

/** Where to check a claim that names no topic, by a topic that the whole text clearly has; of votes and money it has to speak itself. */
export function adviceByText(claim: StatedClaim, subject: TextSubject): Advice | undefined {
  const { topic } = subject;
  if (!isChecked(topic) || !isAbout(topic, subject)) return undefined;
  if (topic === 'elections') return isElectoral(claim) ? CHECKED_AT.elections : undefined;
  if (topic === 'economy_banking') return isMoneyAtRisk(claim) ? BANKING : undefined;
  return CHECKED_AT[topic];
}
