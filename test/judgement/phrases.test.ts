import { describe, expect, it } from 'vitest';
import { analyseText } from '../../training/judgement/analysis.ts';
import { calmForty, rowsOf, type WrittenRow, withPhrase } from '../../training/judgement/sets.ts';
import { startCampaign } from '../campaign.ts';

/** Most points by which a phrase that any writer can add may change the risk of a text. */
const MOST_MOVED = 10;
/** Insertions in `npm test`; all phrases go into all texts of their language in a long run. */
const SAMPLE = 24;

/**
 * Shares of insertions that still move a text further. Loud: "(Pamflet)" written into a sentence, which then reads otherwise, 1 to 4 of 1,023 in
 * two texts. Calm: 2 of 1,024. None should; a sample may meet one of them.
 */
const KNOWN_SHARE = 0.004;

const campaign = startCampaign('phrases');
const phrases = rowsOf('phrases');

async function riskOf(text: string, lang: string): Promise<number> {
  return (await analyseText(text, lang)).verdict.risk_score ?? 0;
}

function insertions(texts: readonly WrittenRow[]) {
  const all = phrases.flatMap((phrase) =>
    texts.filter(({ lang }) => lang === phrase.lang).map((row) => ({ phrase, row })),
  );
  return campaign.pick(all, SAMPLE);
}

/** By how many points the phrase moves the text, for each insertion. */
async function moves(texts: readonly WrittenRow[]) {
  const before = new Map<string, number>();
  const moved: { text: string; phrase: string; place: number; from: number; by: number }[] = [];
  for (const { phrase, row } of insertions(texts)) {
    const from = before.get(row.id) ?? (await riskOf(row.text, row.lang));
    before.set(row.id, from);
    const place = campaign.integer(0, 99) / 100;
    const to = await riskOf(withPhrase(row.text, phrase.text, place), row.lang);
    moved.push({ text: row.id, phrase: phrase.text, place, from, by: to - from });
  }
  return moved;
}

describe('a phrase that anybody can add', () => {
  it('is one of 200 in both languages, for 40 loud and 40 calm texts', () => {
    expect([phrases.length, rowsOf('loud').length, calmForty().length]).toEqual([200, 40, 40]);
  });

  it('lowers no loud text by more than ten points', async () => {
    const moved = await moves(rowsOf('loud'));
    const far = moved.filter(({ by }) => by < -MOST_MOVED);
    campaign.summary(
      `${moved.length} phrases in loud texts, ${far.length} lower one by more than ten points`,
    );
    expect(far.length, JSON.stringify(far)).toBeLessThanOrEqual(Math.max(1, KNOWN_SHARE * moved.length));
  });

  it('raises no calm text by more than ten points', async () => {
    const moved = await moves(calmForty());
    const far = moved.filter(({ by }) => by > MOST_MOVED);
    campaign.summary(
      `${moved.length} phrases in calm texts, ${far.length} raise one by more than ten points`,
    );
    expect(far.length, JSON.stringify(far)).toBeLessThanOrEqual(Math.max(1, KNOWN_SHARE * moved.length));
  });
});
