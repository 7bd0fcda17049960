import { describe, expect, it } from 'vitest';
import { type SubjectKind, subjectPlans, targetsOf, teaches } from '../../../training/subjects/plans.ts';

const row = { id: 'a', text: 'x', language: 'en', isPublished: false } as const;

function sharesOf(kind: SubjectKind, topics: readonly string[], genre: string) {
  const targets = targetsOf(kind, { ...row, topics, genre });
  return Object.fromEntries(
    subjectPlans[kind].labels.flatMap((label, at) => (targets[at] ? [[label, targets[at]]] : [])),
  );
}

describe('what a labelled text teaches', () => {
  it.each([
    ['its one topic', 'topic', ['sport'], { sport: 1 }],
    ['its genre', 'genre', ['sport'], { news: 1 }],
  ] as const)('is %s', (_, kind, topics, shares) => {
    expect(sharesOf(kind, topics, 'news')).toEqual(shares);
  });

  it('is no topic where it was given none', () => {
    const satire = { ...row, topics: [], genre: 'satire' };
    expect([teaches('topic', satire), teaches('genre', satire)]).toEqual([false, true]);
  });

  it('is most of all the main one of two topics', () => {
    const { elections = 0, politics = 0 } = sharesOf('topic', ['elections', 'politics'], 'news');
    expect(elections).toBeGreaterThan(politics);
    expect(elections + politics).toBeCloseTo(1, 12);
  });
});
