import taxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import type { PlainText } from '../../../../text/plain/plain-text.ts';
import type { TextRange } from '../../../../text/positions.ts';
import { type Sentence, sentencesOf } from '../../../../text/sentences.ts';
import { countWords } from '../../../../text/words.ts';
import type { ClaimItem, Voice } from '../../resources/claims-result.ts';
import type { Engine } from '../../resources/finding.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import { knownLanguage, type TextEncoding, vectorAt } from '../encoding/text-encoding.ts';
import { toPlainText } from '../plain-text.ts';
import { SPEAKS_OF } from '../stance/claim-likeness.ts';
import { attributionOf, type TextWithSentences } from './attribution.ts';
import {
  type Checkworthiness,
  type CheckworthinessModels,
  CheckworthinessScorer,
} from './checkworthiness.ts';
import { type ClaimText, claimText } from './cues.ts';
import { explainClaim } from './explanations.ts';
import { withoutJunk } from './junk.ts';
import { knownClaimPart } from './known-claim-part.ts';
import { type KnownClaims, type KnownMatch, noKnownClaims } from './known-claims.ts';
import { type NearClaims, noNearClaims } from './near-claims.ts';
import { queriesOf } from './queries.ts';
import { type ClaimType, typeOf } from './types.ts';

/** What the engine reads: the text and its ISO 639-1 language code (`und` when unknown). */
export interface ClaimsInput {
  text: string;
  language: string;
  /** The encoding of the text; without it sentences are judged by their wording alone. */
  encoding?: TextEncoding | undefined;
}

/** Finds claims in a text; it decides none of them, which is the work of evidence. */
export interface ClaimsEngine {
  extract(input: ClaimsInput): ClaimItem[];
}

/** Claims kept of one text, the most check-worthy first: a reader, and a search for evidence, can follow no more. */
export const MOST_CLAIMS = SHIPPED_TUNING.mostClaims;
/** A sentence that a rule names an opinion is one where it is less likely than this to state a fact. */
const OPINION_SHARE = 0.5;
/** Fewer words are a heading or an exclamation; more than this are not a sentence that one could check. */
const CLAIM_WORDS = { least: 4, most: 120 } as const;
/** A text that is one sentence of at most so many words is there to be checked, whatever the models think of it. */
const ALONE_WORDS = 25;
/** Such a sentence speaks of its writer or addresses the reader. */
const PERSONAL = ['firstPerson', 'secondPerson', 'weGroup', 'pleasantry', 'obligation'] as const;

const statusOfType: Partial<Record<ClaimType, string>> = {
  opinion: 'opinion',
  prediction: 'pending_prediction',
  personal_experience: 'unverifiable',
};

/**
 * Kinds of claims that the debates of the training data hardly hold. For these, half of the taxonomy's prior stands in
 * when the model gives less: half, because a rule named the kind and its rate was not measured.
 */
const UNSEEN_TYPES: ReadonlySet<ClaimType> = new Set(['scientific_health', 'media_provenance', 'conspiracy']);
const UNSEEN_SHARE = 0.5;
/** A conspiracy or a matter of science is worth checking only when something is stated of it; hints and judgements state no fact. */
const LEAST_FACTUAL: Partial<Record<ClaimType, number>> = { conspiracy: 0.3, scientific_health: 0.2 };

const checkableTypes: ReadonlySet<string> = new Set(
  taxonomy.types.filter((type) => type.checkable).map((type) => type.code),
);
const priors = new Map<string, number>(taxonomy.types.map((row) => [row.code, row.checkworthiness_prior]));

/** The model's scores, lifted for kinds of claims that it never saw. */
function lifted(type: ClaimType, scores: Checkworthiness): Checkworthiness {
  const vague = scores.factual < (LEAST_FACTUAL[type] ?? 0);
  if (!UNSEEN_TYPES.has(type) || vague) return scores;
  const prior = UNSEEN_SHARE * (priors.get(type) ?? 0);
  return { ...scores, checkworthy: Math.max(scores.checkworthy, prior) };
}

interface Candidate {
  /** Where it stands in the readable text: a sentence, or the part of one that makes a known claim. */
  place: TextRange;
  text: string;
  type: ClaimType;
  scores: Checkworthiness;
  voice: Voice;
}

/** The engine over the two models that training/checkworthy.ts writes; claims that it knows are checked whatever the models find. */
export function createClaimsEngine(
  models: CheckworthinessModels,
  known: KnownClaims = noKnownClaims,
  near: NearClaims = noNearClaims,
): ClaimsEngine {
  const readers = { scorer: new CheckworthinessScorer(models), known, near };
  const { name, version } = models.words.header;
  return {
    extract(input) {
      const started = performance.now();
      const plain = toPlainText(input.text);
      const candidateList = candidates({ ...input, text: plain.text }, readers);
      const duration = Math.round(performance.now() - started);
      const engine: Engine = { model: name, version, duration_ms: duration };
      return candidateList.map((candidate, index) =>
        claimOf(candidate, { index, plain, engine, language: input.language }),
      );
    },
  };
}

/** What sentences are read with. */
interface Readers {
  readonly scorer: CheckworthinessScorer;
  readonly known: KnownClaims;
  readonly near: NearClaims;
}

function candidates(input: ClaimsInput, readers: Readers): Candidate[] {
  const unique: Candidate[] = [];
  const seen = new Set<string>();
  const around = { text: input.text, sentences: sentencesOf(input.text) };
  const read = around.sentences.map((sentence) => ({ sentence, text: claimText(sentence.text) }));
  for (const { sentence } of withoutJunk(read)) {
    const candidate =
      knownCandidate(sentence, around, readers, input.language) ??
      sentenceCandidate(sentence, around, readers, input);
    if (candidate === undefined) continue;
    const { plain } = claimText(candidate.text);
    if (!seen.has(plain)) unique.push(candidate);
    seen.add(plain);
  }
  if (unique.length <= MOST_CLAIMS) return unique;
  const kept = [...unique]
    .sort((one, two) => two.scores.checkworthy - one.scores.checkworthy)
    .slice(0, MOST_CLAIMS);
  return kept.sort((one, two) => one.place.start - two.place.start);
}

/** A claim that others have checked before and that the text makes itself: an earlier review shows that it is worth checking. */
function knownCandidate(
  sentence: Sentence,
  around: TextWithSentences,
  { known, scorer }: Readers,
  language: string,
): Candidate | undefined {
  const { start, text: whole } = sentence;
  const inText = (part: TextRange) => ({ start: start + part.start, end: start + part.end });
  const isOwn = (part: TextRange & { known: KnownMatch }) =>
    attributionOf(around, inText(part), part.known) === 'author';
  const core = knownClaimPart(whole, known.within(whole), isOwn);
  if (core === undefined) return undefined;
  const text = whole.slice(core.start, core.end);
  const read = claimText(text);
  const type = typeOf(read);
  const scores = { ...scorer.score(read, language), checkworthy: 1 };
  return { place: inText(core), text, type: statedType(type), scores, voice: 'author' };
}

/** The type of a sentence that says a known claim: what advises by it, tells of it or judges it states it, too. */
const statedType = (type: ClaimType): ClaimType => (checkableTypes.has(type) ? type : 'event');

const asks = ({ plain }: ClaimText) => plain.trimEnd().endsWith('?');

function sentenceCandidate(
  sentence: Sentence,
  around: TextWithSentences,
  { near, scorer }: Readers,
  { language, encoding }: ClaimsInput,
): Candidate | undefined {
  const words = countWords(sentence.text);
  if (words < CLAIM_WORDS.least || words > CLAIM_WORDS.most) return undefined;
  const text = claimText(sentence.text);
  const wording = typeOf(text);
  const vector = encoding && vectorAt(encoding, sentence.start);
  const read = scorer.score(text, language, vector);
  // A word may judge in a sentence that states a fact.
  const type = wording === 'opinion' && read.factual >= OPINION_SHARE ? 'event' : wording;
  const scores = lifted(type, read);
  const isAlone =
    around.sentences.length === 1 &&
    words <= ALONE_WORDS &&
    checkableTypes.has(type) &&
    !PERSONAL.some((cue) => text.cues.has(cue));
  const isFound = isAlone || isClaim(type, scores, scorer.threshold(language, vector !== undefined));
  const mayBeNear = !isFound || type === 'opinion';
  const own = knownLanguage(language);
  const likeness =
    !mayBeNear || vector === undefined || own === undefined || asks(text)
      ? 0
      : near.likeness(sentence.text, own, vector);
  const isNear = likeness >= SPEAKS_OF;
  if (!isFound && !isNear) return undefined;
  return {
    place: sentence,
    text: sentence.text,
    type: isNear ? statedType(type) : type,
    scores: isNear ? { ...scores, checkworthy: Math.max(scores.checkworthy, likeness) } : scores,
    voice: attributionOf(around, sentence),
  };
}

function isClaim(type: ClaimType, scores: Checkworthiness, threshold: number): boolean {
  if (type === 'question_or_call') return false;
  if (type === 'opinion') return true;
  return scores.checkworthy >= threshold;
}

interface ClaimDetails {
  index: number;
  plain: Pick<PlainText, 'span'>;
  engine: Engine;
  language: string;
}

function claimOf({ place, text, type, scores, voice }: Candidate, details: ClaimDetails): ClaimItem {
  const status = statusOfType[type] ?? 'unverified';
  const decided = status === 'opinion';
  const checkworthiness = rounded(scores.checkworthy);
  const search = status === 'unverified' ? queriesOf(text, type, details.language) : [];
  return {
    id: `claim-${details.index + 1}`,
    text,
    span: details.plain.span(place.start, place.end),
    type,
    status,
    // Only "this is no statement of fact" is our own finding; the others wait for evidence.
    confidence: decided ? rounded(1 - scores.factual) : null,
    checkworthiness,
    evidence: [],
    previous_fact_checks: [],
    searched: false,
    reviewed_at: null,
    voice,
    queries: search,
    ...explainClaim(type, status, checkworthiness),
    engine: details.engine,
  };
}

/** Shares are rounded to three decimals. */
const rounded = (share: number) => roundTo(share, 3);
