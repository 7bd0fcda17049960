import type { Candidate } from './candidates.ts';
import { withoutEdgeMarks } from './screening.ts';
import type { Token, TokenRange } from './tokens.ts';

/** Questions in a row that nobody answers; constants chosen so that interviews and a single question do not count. */
const rule = {
  /** Questions of the text's own voice, one after the other. */
  least: 3,
  confidence: 0.6,
  /** Marks and brackets that may follow the question mark. */
  longestEnding: 4,
} as const;

/** Words with which the text answers the question before. */
const answers = new Set(['because', 'since', 'pentru', 'fiindca', 'deoarece', 'yes', 'no', 'da', 'nu']);

/** Runs of unanswered questions: they plant a suspicion without stating it. Linear in the length. */
export function findQuestionRuns(
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
  quoted: Uint8Array,
): Candidate[] {
  const asked = sentences.map((sentence) => quoted[sentence.from] !== 1 && isQuestion(tokens, sentence));
  const found: Candidate[] = [];
  for (let start = 0; start < sentences.length; start += 1) {
    if (asked[start] !== true) continue;
    let end = start + 1;
    while (asked[end] === true) end += 1;
    const run = end - start;
    const next = sentences[end];
    const answered = next !== undefined && answers.has(tokens[next.from]?.form ?? '');
    for (let index = start; run >= rule.least && !answered && index < end; index += 1) {
      const sentence = sentences[index];
      if (sentence === undefined) continue;
      const range = withoutEdgeMarks({ tokens }, sentence);
      if (range.to <= range.from) continue;
      found.push({
        ...range,
        anchor: range.from,
        code: 'doubt',
        sentence: index,
        confidence: rule.confidence,
        origin: 'rule',
      });
    }
    start = end;
  }
  return found;
}

function isQuestion(tokens: readonly Token[], { from, to }: TokenRange): boolean {
  for (let index = to - 1; index >= Math.max(from, to - rule.longestEnding); index -= 1) {
    const token = tokens[index];
    if (token?.form === '?') return true;
    if (token?.kind !== 'mark') return false;
  }
  return false;
}
