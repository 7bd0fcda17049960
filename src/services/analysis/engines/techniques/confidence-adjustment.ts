import type { Candidate } from './candidates.ts';
import { limits } from './limits.ts';
import type { SpeechAttribution } from './speech-marks.ts';
import type { Token } from './tokens.ts';

/** Which parts of a text are not assertions of its writer. */
export interface SpeechTraits extends SpeechAttribution {
  /** For each sentence: whether it reports what somebody else says. */
  readonly reported: readonly boolean[];
  /** For each sentence: whether manipulation is its subject, as in fact-checks and studies. */
  readonly aboutManipulation: readonly boolean[];
}

/** Properties of the text that contains the candidates. */
export interface TextTraits extends SpeechTraits {
  readonly tokens: readonly Token[];
  /** Whether the text checks or studies manipulation. */
  readonly isAboutManipulation: boolean;
  readonly wordCount: number;
}

/**
 * Whether a text checks or studies manipulation: several of its sentences say so, they are a good share of it, and in its
 * own voice it does not agitate. A phrase alone, which anybody can add to anything, shows nothing.
 */
export function isAboutManipulation(candidates: readonly Candidate[], speech: SpeechTraits): boolean {
  const count = speech.aboutManipulation.filter(Boolean).length;
  if (
    count < limits.leastSentencesAboutManipulation ||
    count < limits.shareAboutManipulation * speech.aboutManipulation.length
  )
    return false;
  const agitating = new Set(
    candidates
      .filter((item) => item.origin === 'rule' && item.confidence >= limits.agitation)
      .filter((item) => isWritersOwn(item, speech) && speech.aboutManipulation[item.sentence] !== true)
      .map((item) => item.sentence),
  );
  return agitating.size <= limits.agitatingShare * speech.aboutManipulation.length;
}

function isWritersOwn({ anchor, sentence }: Candidate, { quoted, reported }: SpeechTraits): boolean {
  return quoted[anchor] !== 1 && reported[sentence] !== true;
}

/**
 * Adjusts confidences: lower for words of other speakers and for a single match of a rule in an otherwise neutral text; higher for
 * weak candidates in a text with much other evidence.
 */
export function adjustConfidences(candidates: readonly Candidate[], traits: TextTraits): Candidate[] {
  const attributed = candidates.map((item) => ({
    ...item,
    confidence: item.confidence * speakerFactor(item, traits),
  }));
  // Words of a named speaker neither add to the evidence of the text nor gain from it.
  const isSpoken = ({ anchor }: Candidate) => traits.attributed[anchor] === 1;
  const sentenceEvidence = evidenceBySentence(attributed.filter((item) => !isSpoken(item)));
  const ownEvidence = [...sentenceEvidence.values()].reduce((sum, value) => sum + value, 0);
  const total = ownEvidence + emphasisIn(traits.tokens);
  const factor = traits.reported.length < limits.calmSentences ? 1 : uncorroboratedFactor(ownEvidence);
  const own = factor === 1 ? attributed : attributed.map((item) => scaleUncorroborated(item, factor));
  const evidence =
    factor === 1 ? sentenceEvidence : evidenceBySentence(own.filter((item) => !isSpoken(item)));
  const length = Math.sqrt(Math.max(1, traits.wordCount / 250));
  return own.map((item) => {
    if (isSpoken(item)) return item;
    const elsewhere = (total - (evidence.get(item.sentence) ?? 0)) / length;
    const share = limits.corroboration * (1 - Math.exp(-elsewhere / limits.corroborationScale));
    return {
      ...item,
      confidence:
        item.confidence +
        (1 - item.confidence) * share * (traits.isAboutManipulation ? limits.aboutManipulationFactor : 1),
    };
  });
}

/** Lowers the confidence of a rule that nothing else in the text corroborates; rules see only a few words. */
function scaleUncorroborated(item: Candidate, factor: number): Candidate {
  return item.origin === 'model' ? item : { ...item, confidence: item.confidence * factor };
}

/** From `aloneFactor` for one rule's evidence to 1 for that of two, so that one more word never makes a jump. */
function uncorroboratedFactor(evidence: number): number {
  const share = (evidence - limits.oneRule) / (limits.twoRules - limits.oneRule);
  return limits.uncorroboratedFactor + (1 - limits.uncorroboratedFactor) * Math.min(1, Math.max(0, share));
}

function speakerFactor(
  item: Candidate,
  { attributed, reported, isAboutManipulation: isAbout }: TextTraits,
): number {
  const subject = isAbout ? limits.aboutManipulationFactor : 1;
  if (attributed[item.anchor] === 1) return subject * limits.quotedFactor;
  return reported[item.sentence] === true ? subject * limits.reportedFactor : subject;
}

/** Sum over the codes of a sentence of the surest candidate; weak ones count by their share. */
function evidenceBySentence(candidates: readonly Candidate[]): Map<number, number> {
  const surest = new Map<string, Candidate>();
  for (const item of candidates) {
    if (item.confidence < limits.leastEvidence) continue;
    const key = `${item.sentence} ${item.code}`;
    if ((surest.get(key)?.confidence ?? 0) < item.confidence) surest.set(key, item);
  }
  const evidence = new Map<number, number>();
  for (const item of surest.values()) {
    const worth = item.confidence * (item.confidence < limits.strongEvidence ? limits.weakShare : 1);
    evidence.set(item.sentence, (evidence.get(item.sentence) ?? 0) + worth);
  }
  return evidence;
}

const LONG_WORD = 5;

/** Capitals and exclamation marks, as evidence; capitals do not count when the whole text is set in them. */
function emphasisIn(tokens: readonly Token[]): number {
  const words = tokens.filter((token) => token.kind !== 'mark' && token.form.length >= LONG_WORD);
  const capitals = words.filter((token) => token.kind === 'caps').length;
  const shouting = capitals > words.length / 2 ? 2 : capitals;
  const exclamations = tokens.filter((token) => token.form === '!').length;
  return Math.min(limits.mostEmphasis, limits.emphasis * (shouting + exclamations));
}

/**
 * Joins overlapping candidates of a code. Agreement of different origins adds, repetition of one does not. The words that
 * a rule matched are the passage; the edges of the trained stages count only where no rule spoke.
 */
export function mergeOverlapping(candidates: readonly Candidate[]): Candidate[] {
  return [...groupedByCode(candidates).values()].flatMap((items) =>
    overlappingGroups(items).flatMap((group) => {
      const matched = group.filter((item) => item.origin !== 'model');
      const passages = matched.length === 0 ? [group] : overlappingGroups(matched);
      return passages.flatMap((passage) => {
        const [first] = passage;
        if (first === undefined) return [];
        const to = Math.max(...passage.map((item) => item.to));
        return [{ ...first, to, confidence: passageConfidence(passage, group) }];
      });
    }),
  );
}

/** Confidence of one passage of a group, with what the other origins of the group add. */
function passageConfidence(passage: readonly Candidate[], group: readonly Candidate[]): number {
  return combinedConfidence([...passage, ...group.filter((item) => item.origin === 'model')]);
}

function combinedConfidence(group: readonly Candidate[]): number {
  const origins = new Map<string, number>();
  for (const item of group)
    origins.set(item.origin, Math.max(origins.get(item.origin) ?? 0, item.confidence));
  const [most = 0, ...others] = [...origins.values()].sort((a, b) => b - a);
  const sure = others.reduce((sum, value) => sum + (1 - sum) * value * limits.agreement, most);
  return Math.min(limits.mostConfidence, sure);
}

/** Runs of candidates that overlap, in reading order. */
function overlappingGroups(items: readonly Candidate[]): Candidate[][] {
  const groups: { to: number; members: Candidate[] }[] = [];
  for (const item of [...items].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = groups.at(-1);
    if (last !== undefined && item.from < last.to) {
      last.members.push(item);
      last.to = Math.max(last.to, item.to);
    } else {
      groups.push({ to: item.to, members: [item] });
    }
  }
  return groups.map((group) => group.members);
}

/** Candidates by code, in the order given. */
export function groupedByCode<Item extends Pick<Candidate, 'code'>>(
  candidates: readonly Item[],
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of candidates) {
    const group = groups.get(item.code);
    if (group === undefined) groups.set(item.code, [item]);
    else group.push(item);
  }
  return groups;
}

/** A label on a target is name calling; the same words are not reported as loaded language as well. */
export function withoutDuplicates(candidates: readonly Candidate[]): Candidate[] {
  const labels = candidates.filter((item) => item.code === 'name_calling_labeling');
  return candidates.filter(
    (item) =>
      item.code !== 'loaded_language' ||
      !labels.some((label) => label.from <= item.from && label.to >= item.to),
  );
}
