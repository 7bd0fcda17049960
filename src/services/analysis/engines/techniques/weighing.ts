import type { Candidate } from './candidates.ts';
import { limits } from './limits.ts';
import type { Token } from './tokens.ts';

/** What is known of the text that the candidates stand in. */
export interface TextTraits {
  readonly tokens: readonly Token[];
  /** 1 where the token lies between quotation marks. */
  readonly quoted: Uint8Array;
  /** For each sentence: somebody else is speaking. */
  readonly reported: readonly boolean[];
  /** The text checks or studies manipulation. */
  readonly studied: boolean;
  readonly wordCount: number;
}

/** Lowers what others say, and raises weak signs in a text whose other sentences are loud. */
export function weighed(candidates: readonly Candidate[], traits: TextTraits): Candidate[] {
  const own = candidates.map((item) => ({
    ...item,
    confidence: item.confidence * voiceFactor(item, traits),
  }));
  const evidence = evidenceBySentence(own);
  const total = [...evidence.values()].reduce((sum, value) => sum + value, 0) + emphasisIn(traits.tokens);
  const length = Math.sqrt(Math.max(1, traits.wordCount / 250));
  return own.map((item) => {
    const elsewhere = (total - (evidence.get(item.sentence) ?? 0)) / length;
    const share = limits.corroboration * (1 - Math.exp(-elsewhere / limits.corroborationScale));
    return {
      ...item,
      confidence:
        item.confidence + (1 - item.confidence) * share * (traits.studied ? limits.studiedFactor : 1),
    };
  });
}

function voiceFactor(item: Candidate, { quoted, reported, studied }: TextTraits): number {
  const study = studied ? limits.studiedFactor : 1;
  const inQuotes = quoted[item.anchor] === 1;
  const near =
    (reported[item.sentence] ?? false) ||
    (reported[item.sentence - 1] ?? false) ||
    (reported[item.sentence + 1] ?? false);
  if (inQuotes && near) return study * limits.quotedFactor;
  return reported[item.sentence] === true ? study * limits.reportedFactor : study;
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
    const worth = item.confidence * (item.confidence < limits.solid ? limits.weakShare : 1);
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
  return Math.min(limits.loudest, limits.emphasis * (shouting + exclamations));
}

/**
 * Joins overlapping candidates of a code. Agreement of different origins adds, repetition of one does not. The words that
 * a rule matched are the passage; the edges of the trained stages count only where no rule spoke.
 */
export function joined(candidates: readonly Candidate[]): Candidate[] {
  return [...groupedByCode(candidates).values()].flatMap((items) =>
    overlappingGroups(items).flatMap((group) => {
      const ruled = group.filter((item) => item.origin !== 'model');
      const passages = ruled.length === 0 ? [group] : overlappingGroups(ruled);
      return passages.flatMap((passage) => {
        const [first] = passage;
        if (first === undefined) return [];
        const to = Math.max(...passage.map((item) => item.to));
        return [{ ...first, to, confidence: boosted(passage, group) }];
      });
    }),
  );
}

/** Confidence of one passage of a group, with what the other origins of the group add. */
function boosted(passage: readonly Candidate[], group: readonly Candidate[]): number {
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
export function groupedByCode(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  const groups = new Map<string, Candidate[]>();
  for (const item of candidates) {
    const group = groups.get(item.code);
    if (group === undefined) groups.set(item.code, [item]);
    else group.push(item);
  }
  return groups;
}

/** A label on a target is name calling; the same words are not reported as loaded language as well. */
export function withoutDoubles(candidates: readonly Candidate[]): Candidate[] {
  const labels = candidates.filter((item) => item.code === 'name_calling_labeling');
  return candidates.filter(
    (item) =>
      item.code !== 'loaded_language' ||
      !labels.some((label) => label.from <= item.from && label.to >= item.to),
  );
}
