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

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function quoted(quote: string | null): string {
  return quote === null ? '' : ` (“${excerpt(quote)}”)`;
}

const one = (value: number) => value.toFixed(1);
const whole = (value: number) => String(Math.round(value));

function claimAlone(confirmed: number, partly: number, refuted: string | null): string {
  if (confirmed > 0) return 'The one claim that was found held.';
  return partly > 0
    ? 'The one claim that was found held in part.'
    : `The one claim that was found did not hold${quoted(refuted)}.`;
}

/** Claims of which none was decided, by what looking them up brought. */
function claimsUndecided(count: number, { evidence, nothing, never }: FactOf<'claims'>['lookups']): string {
  const found = `${countOf(count, 'claim was', 'claims were')} found`;
  const [they, them] = count === 1 ? ['it was', 'it'] : ['they were', 'them'];
  if (evidence + nothing === 0) return `${found}; ${they} not looked up in other sources.`;
  if (nothing + never === 0)
    return `${found}, but the evidence at hand neither confirms nor refutes ${them}.`;
  if (evidence + never === 0) return `${found}; ${they} looked up, and nothing was found about ${them}.`;
  const parts = [
    evidence > 0
      ? `${countOf(evidence, 'is', 'are')} neither confirmed nor refuted by the evidence at hand`
      : '',
    nothing > 0 ? `nothing was found about ${nothing}` : '',
    never > 0 ? `${countOf(never, 'was', 'were')} not looked up` : '',
  ];
  return `${found}: ${joinWithAnd(
    parts.filter((part) => part !== ''),
    'and',
  )}.`;
}

const OPEN = {
  evidence: 'could not be confirmed',
  nothing: 'was looked up, and nothing was found',
  never: 'was not checked',
} as const;

/** Explanations in English. */
export const english: Phrasing = {
  language: 'en',

  verdict({ score, category, inconclusive, confidence }) {
    if (score === null) return 'There is no risk score: no check could decide anything about this content.';
    const sure = `confidence ${whole(confidence * 100)}%`;
    if (inconclusive)
      return `The result is inconclusive: the risk score is ${one(score)} of 100, but it rests on too little (${sure}).`;
    return `${category.en}: the risk score is ${one(score)} of 100 (${sure}).`;
  },

  override({ reason, from, to }) {
    const moved = to >= from ? 'raised' : 'lowered';
    return `The score was ${moved} from ${one(from)} to ${one(to)}: ${asClause(reason.en)}.`;
  },

  techniques({ count, kinds, listed: isListed, strongest }) {
    if (count === 0)
      return isListed
        ? 'In places the wording may persuade, too uncertainly to count.'
        : 'No persuasion techniques were found in the wording.';
    const names = joinWithAnd(
      strongest.map(({ name, quote }) => named(name.en, quoted(quote))),
      'and',
    );
    const passages = count === 1 ? 'One passage uses' : countOf(count, '', 'passages use');
    const all = kinds <= strongest.length ? ':' : ', above all';
    const single = count === 1 ? 'a persuasion technique' : 'the same persuasion technique';
    return `${passages} ${kinds === 1 ? single : countOf(kinds, '', 'persuasion techniques')}${all} ${names}.`;
  },

  wordingUnread:
    'The wording was not judged: the engine that reads it knows English and Romanian, and no text model answered.',

  diffuse({ share, quote }, techniques) {
    const percent = Math.max(1, Math.round(share * 100));
    const found = techniques !== null && techniques.count > 0;
    const what =
      share === 0
        ? `as a whole the text reads like those that press or mislead, most of all here: “${excerpt(quote)}”.`
        : `${percent}% of ${found ? 'its' : 'the'} sentences lean to one side, such as “${excerpt(quote)}”.`;
    if (techniques === null) return capitalised(what);
    if (found) return share === 0 ? capitalised(what) : `Beyond that, ${what}`;
    return techniques.listed
      ? `No single passage shows a technique surely enough to count, but ${what}`
      : `No single passage shows a named technique, but ${what}`;
  },

  claims({ total, verifiedTrue, verifiedFalse, partly, undecided, opinions, refuted, lookups }) {
    if (total === 0) return 'No claim was found that could be checked.';
    if (total === opinions) return 'It holds opinions, but no claim that could be checked.';
    const parts = [
      verifiedFalse > 0 ? `${verifiedFalse} did not hold${quoted(refuted)}` : '',
      verifiedTrue > 0 ? `${verifiedTrue} held` : '',
      partly > 0 ? `${partly} held in part` : '',
      undecided > 0 ? `${undecided} could not be decided` : '',
      opinions > 0 ? `${countOf(opinions, 'is an opinion', 'are opinions')}` : '',
    ].filter((part) => part !== '');
    if (verifiedTrue + verifiedFalse + partly === 0) return claimsUndecided(undecided, lookups);
    if (total === 1) return claimAlone(verifiedTrue, partly, refuted);
    if (verifiedTrue === total) return `All ${total} claims held.`;
    if (verifiedFalse === total) return `None of the ${total} claims held${quoted(refuted)}.`;
    return `Of ${total} claims, ${joinWithAnd(parts, 'and')}.`;
  },

  source({ domain, trust, lists }) {
    if (lists.length > 0)
      return `${joinWithAnd(lists, 'and')} ${lists.length === 1 ? 'lists' : 'list'} ${domain} among unreliable sources.`;
    if (trust === null) return `How far the source ${domain} can be trusted could not be judged.`;
    return `The source ${domain} has a trust score of ${whole(trust)} of 100.`;
  },

  ai({ verdict, probability, sign, isPicture }) {
    const why = sign === null ? '' : `: ${asClause(sign.en)}`;
    const likely =
      probability === null
        ? ''
        : ` (probability ${probability >= NEAR_CERTAIN ? 'above 99' : whole(probability)}%)`;
    switch (verdict) {
      case 'strong_evidence':
        return `There is strong evidence of AI generation or tampering${likely}${why}.`;
      case 'likely_ai_or_tampered':
        return `It is probably AI-generated or tampered with${likely}${why}.`;
      case 'disclosed_ai':
        return 'The use of AI is openly disclosed.';
      case 'authenticated_capture':
        return 'Trusted content credentials show an authentic capture.';
      case 'no_ai_or_tampering_found':
        return 'No sign of AI generation or tampering was found.';
      default:
        return isPicture
          ? 'The picture was examined, and nothing decisive was found; that does not show that it is genuine.'
          : null;
    }
  },

  pictures({ kind, sign }) {
    if (kind === 'decided')
      return 'People have already decided about a leading picture of the page, or a near copy of it; the record says what.';
    if (kind === 'declared')
      return 'A leading picture of the page says of itself that AI made it, in whole or in part; that says nothing about the text.';
    const why = sign === null ? '' : ` (${asClause(sign.en)})`;
    return `A leading picture of the page shows traces of tampering or of AI${why}; it takes no part in the score.`;
  },

  label(fact) {
    return fact.en;
  },

  context(lines) {
    const sentences = lines.map(({ name, quote }) => `${asClause(name.en)}${quoted(quote)}`);
    if (sentences.length === 0) return null;
    return `${capitalised(sentences.join('; '))}.`;
  },

  scam({ name, quotes, advice }) {
    const excerpts = quotes.map((quote) => `“${excerpt(quote)}”`).join(', ');
    return `It has the marks of a lure: ${asClause(name.en)} (${excerpts}). ${advice.en}`;
  },

  lost(components) {
    if (components.length === 0) return null;
    return `Not checked, because the service for it gave no answer: ${joinWithAnd(
      components.map((name) => COMPONENT_WORDS[name].subject.en),
      'and',
    )}.`;
  },

  nearReview({ quote, claim, publisher }) {
    return `What it says${quoted(quote)} is near to a claim that was checked and found false${quoted(claim)} by ${publisher}; it may say something else, so compare the two.`;
  },

  unchecked({ subject, quote, how, lookup }) {
    return `What it says about ${subject.en} ${OPEN[lookup]}${quoted(quote)}: ${how.en}.`;
  },

  advice(fact) {
    return fact.en;
  },
};
