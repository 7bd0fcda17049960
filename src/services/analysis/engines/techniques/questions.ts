import type { Candidate } from './candidates.ts';
import { withoutEdgeMarks } from './screening.ts';
import type { Token, TokenRange } from './tokens.ts';

/** Questions in a row that nobody answers; constants chosen so that interviews and a single question do not count. */
const rule = {
  /** Questions of the text's own voice, one after the other. */
  least: 3,
  confidence: 0.68,
  /** Marks and brackets that may follow the question mark. */
  longestEnding: 4,
} as const;

/** Words with which the text answers the question before. */
const answerWords = new Set(['because', 'since', 'pentru', 'fiindca', 'deoarece', 'yes', 'no', 'da', 'nu']);

/** Runs of unanswered questions, each run one passage: they plant a suspicion without stating it. Linear in the length. */
export function findQuestionRuns(
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
  quoted: Uint8Array,
): Candidate[] {
  const questions = sentences.map((sentence) => quoted[sentence.from] !== 1 && isQuestion(tokens, sentence));
  const questionCandidates: Candidate[] = [];
  for (let start = 0; start < sentences.length; start += 1) {
    if (questions[start] !== true) continue;
    let end = start + 1;
    while (questions[end] === true) end += 1;
    const run = end - start;
    const next = sentences[end];
    const answered = next !== undefined && answerWords.has(tokens[next.from]?.form ?? '');
    if (run >= rule.least && !answered) {
      const range = withoutEdgeMarks(
        { tokens },
        { from: sentences[start]?.from ?? 0, to: sentences[end - 1]?.to ?? 0 },
      );
      questionCandidates.push({
        ...range,
        anchor: range.from,
        code: 'doubt',
        sentence: start,
        confidence: rule.confidence,
        origin: 'rule',
      });
    }
    start = end;
  }
  return questionCandidates;
}

/** A conversation has at least so many questions that are answered one by one, or so many lines of named speakers. */
const conversation = { questions: 3, share: 0.25, speakerLines: 3, longestName: 4, factor: 0.6 } as const;

/** Whether questions are asked and answered: an interview, a dialogue, questions of readers. Linear in the length. */
function isConversation(tokens: readonly Token[], sentences: readonly TokenRange[]): boolean {
  const questions = sentences.map((sentence) => isQuestion(tokens, sentence));
  if (sentences.filter((sentence) => isSpeakerLine(tokens, sentence)).length >= conversation.speakerLines)
    return true;
  const count = questions.filter(Boolean).length;
  const isAnswered = questions.every((question, index) => !question || questions[index + 1] === false);
  return isAnswered && count >= conversation.questions && count >= conversation.share * sentences.length;
}

/** "Reporter:", "Ana Pop:" at the beginning of a sentence. */
function isSpeakerLine(tokens: readonly Token[], { from, to }: TokenRange): boolean {
  for (let index = from; index < Math.min(to, from + conversation.longestName); index += 1) {
    const token = tokens[index];
    if (token?.form === ':') return index > from;
    if (token?.kind !== 'title' && token?.kind !== 'caps') return false;
  }
  return false;
}

/** The same candidates; doubt in a question of a conversation is weaker, since somebody is there to answer it. */
export function discountInterviewQuestions(
  candidates: readonly Candidate[],
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
): readonly Candidate[] {
  if (!candidates.some(({ code }) => code === 'doubt') || !isConversation(tokens, sentences))
    return candidates;
  return candidates.map((item) => {
    const sentence = sentences[item.sentence];
    if (item.code !== 'doubt' || sentence === undefined || !isQuestion(tokens, sentence)) return item;
    return { ...item, confidence: item.confidence * conversation.factor };
  });
}

function isQuestion(tokens: readonly Token[], { from, to }: TokenRange): boolean {
  for (let index = to - 1; index >= Math.max(from, to - rule.longestEnding); index -= 1) {
    const token = tokens[index];
    if (token?.form === '?') return true;
    if (token?.kind !== 'mark') return false;
  }
  return false;
}
