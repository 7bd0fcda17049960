/** The classifiers that training/subjects.ts makes. */
import genreData from '../../data/context/genres.json' with { type: 'json' };
import topicData from '../../data/context/topics.json' with { type: 'json' };
import type { TextPlan } from '../texts/plans.ts';
import type { SubjectRow } from './rows.ts';

/** What a classifier tells of a text. */
export type SubjectKind = 'topic' | 'genre';

/** Share of the main topic where readers named two. */
const MAIN = 0.7;

const recipe = {
  language: 'en',
  link: 'softmax',
  bits: 16,
  epochs: 8,
  rate: 0.15,
  l2: 1e-3,
  targets: () => undefined,
} as const;

/** The plans: both languages teach one classifier. */
export const subjectPlans: Readonly<Record<SubjectKind, TextPlan>> = {
  topic: {
    ...recipe,
    name: 'topic',
    task: 'topic',
    labels: [...topicData.topics.map(({ code }) => code), 'other'],
  },
  genre: {
    ...recipe,
    name: 'genre',
    task: 'genre',
    labels: [...genreData.genres.map(({ code }) => code), 'other'],
  },
};

/** Whether a text teaches a classifier: some were given a genre and no topic. */
export const teaches = (kind: SubjectKind, { topics }: SubjectRow) => kind === 'genre' || topics.length > 0;

/** How much of each label a text has; those of all add up to 1. */
export function targetsOf(kind: SubjectKind, { topics, genre }: SubjectRow): number[] {
  const { labels } = subjectPlans[kind];
  if (kind === 'genre') return labels.map((label) => (label === genre ? 1 : 0));
  const [main, second] = topics;
  const share = second === undefined ? 1 : MAIN;
  return labels.map((label) => (label === main ? share : label === second ? 1 - share : 0));
}
