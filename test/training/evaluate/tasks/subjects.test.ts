import { describe, expect, it } from 'vitest';
import { genre, topic } from '../../../../training/evaluate/tasks/subjects.ts';

const rows = [
  {
    id: '1',
    lang: 'ro',
    label: 'sport',
    text: 'Echipa a câștigat meciul cu 3-1, iar antrenorul a lăudat portarul după fluierul final.',
  },
  {
    id: '2',
    label: 'public_health',
    text: 'The hospital said that measles cases rose after vaccination of children fell in the region.',
  },
  { id: '3', label: 'sport' },
];

describe('scores of subjects', () => {
  it('are those of rows with a text and a label, the others told', async () => {
    const { figures, notes } = await topic.evaluate(rows);
    const accuracy = figures.filter(({ metric }) => metric === 'accuracy');
    expect(accuracy.map(({ part, value, rows: count }) => [part, value, count])).toEqual([
      ['ro', 1, 1],
      ['en', 1, 1],
      ['all', 1, 2],
    ]);
    expect(notes).toEqual(['1 rows without text, label were left out']);
  });

  it('count a label that is wrong', async () => {
    const { figures } = await genre.evaluate([{ ...rows[1], label: 'recipe' }]);
    expect(figures.find(({ metric }) => metric === 'accuracy')?.value).toBe(0);
  });
});
