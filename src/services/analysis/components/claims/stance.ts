import { z } from 'zod';
import prompt from '../../../../../data/prompts/stance.json' with { type: 'json' };
import { sentencesOf } from '../../../../text/sentences.ts';
import type { Task, TaskReply, TextModel } from '../../dependencies/text-model/text-model.ts';
import type { EncodeTexts } from '../../dependencies/vectors.ts';
import type { ClaimComparer } from '../../engines/stance/claim-comparer.ts';
import type { RunContext } from '../component.ts';
import { judgeReply } from '../model-outcome.ts';

/** The stance of a passage on a claim, and its probability. */
export interface Stance {
  readonly stance: 'supports' | 'refutes' | 'context';
  /** Probability of the stance, 0 to 1; null when no model could judge it. */
  readonly confidence: number | null;
}

/** Judges the passages that were found on a claim, in their order. */
export type JudgeStances = (
  claim: string,
  passages: readonly string[],
  run: RunContext,
) => Promise<{
  readonly stances: readonly Stance[];
  readonly model: string | null;
  readonly reply: TaskReply<unknown>;
}>;

/**
 * Probabilities from which the trained model's word is taken: it then says refutes of at most three supporting or unrelated passages
 * in two hundred, and supports of at most two refuting ones; the law is one in fifty (models/stance.md).
 */
const LEAST = { supports: 0.9, refutes: 0.8 } as const;
/** Sentences of one passage that are read, and code points of one that a text model gets. */
const [MOST_SENTENCES, PASSAGE_LENGTH] = [6, 800];

const UNJUDGED: Stance = { stance: 'context', confidence: null };

const answerForm = z.object({
  stances: z.array(z.object({ passage: z.int(), stance: z.enum(['supports', 'refutes', 'context']) })),
});

/** The prompt for a text model: the claim and the passages, numbered from 1. All of it is untrusted text. */
function stanceTask(claim: string, passages: readonly string[]): Task<z.output<typeof answerForm>> {
  const listed = passages.map(
    (passage, index) => `[${index + 1}] ${[...passage].slice(0, PASSAGE_LENGTH).join('')}`,
  );
  const text = [`CLAIM: ${claim}`, ...listed].join('\n\n');
  return {
    stage: 'claims.stance',
    prompt,
    fields: { most: String(passages.length) },
    material: (most) => ({ text: [...text].slice(0, most).join(''), note: '' }),
    schema: answerForm,
  };
}

/** The model's stance on each passage; undefined unless it judged each of them exactly once. */
function acceptedStances({ stances }: z.output<typeof answerForm>, count: number): Stance[] | undefined {
  const byPassage = new Map(stances.map(({ passage, stance }) => [passage, stance]));
  const accepted = Array.from({ length: count }, (_, index) => byPassage.get(index + 1));
  if (stances.length !== count || accepted.includes(undefined)) return undefined;
  return accepted.map((stance) => ({ stance: stance ?? 'context', confidence: null }));
}

/** The stance of the trained model, from sentence vectors. */
async function trained(
  claim: string,
  passages: readonly string[],
  { reading, encode }: { readonly reading: ClaimComparer; readonly encode: EncodeTexts },
  run: RunContext,
): Promise<Stance[]> {
  const sentences = passages.map((passage) =>
    sentencesOf(passage)
      .slice(0, MOST_SENTENCES)
      .map(({ start, end }) => passage.slice(start, end)),
  );
  const texts = [claim, ...sentences.flat()];
  const vectors = await encode(texts, run);
  if (vectors === undefined) return passages.map(() => UNJUDGED);
  const encoded = new Map(texts.map((text, index) => [text, vectors[index]]));
  return sentences.map((list): Stance => {
    const [supports, refutes] = reading.stance(claim, list, (text) => encoded.get(text));
    if (refutes >= LEAST.refutes) return { stance: 'refutes', confidence: refutes };
    return supports >= LEAST.supports
      ? { stance: 'supports', confidence: supports }
      : { ...UNJUDGED, confidence: 1 - supports - refutes };
  });
}

/** Judges by a text model when there is one, else by the trained model. */
export function createStances(dependencies: {
  readonly model: Pick<TextModel, 'ask'>;
  readonly reading: ClaimComparer;
  readonly encode: EncodeTexts;
}): JudgeStances {
  return async (claim, passages, run) => {
    const modelReply = await dependencies.model.ask(stanceTask(claim, passages), run);
    const reply = judgeReply(modelReply, (answer) => acceptedStances(answer, passages.length));
    if (reply.state === 'answered') return { stances: reply.value, model: reply.model, reply };
    return { stances: await trained(claim, passages, dependencies, run), model: null, reply };
  };
}
