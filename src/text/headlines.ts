import type { TextClass } from './text-classifier.ts';

/** Kinds of headlines that are written to be clicked, as models/clickbait-en.bin and clickbait-ro.bin name them: lists and quizzes, and a point that is held back. */
const CLICKBAIT_KINDS = ['listicle', 'curiosity gap'] as const;

/** Chance, 0 to 1, that a headline was written to be clicked, by the kinds that a classifier of headlines tells apart. */
export function clickbaitChance({ shares }: Pick<TextClass, 'shares'>): number {
  return CLICKBAIT_KINDS.reduce((sum, kind) => sum + (shares[kind] ?? 0), 0);
}
