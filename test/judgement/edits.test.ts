import { describe, expect, it } from 'vitest';
import { analyseText } from '../../training/judgement/analysis.ts';
import { EDITS, editedTexts } from '../../training/judgement/edits.ts';
import { bandOf, rowsOf } from '../../training/judgement/sets.ts';
import { startCampaign } from '../campaign.ts';

/** Edited texts in `npm test`; a thousand in a long run. */
const SAMPLE = 40;
/** A sample of forty from texts of which one in twenty may change its band meets more than seven of them once in ten thousand runs. */
const MOST_CHANGED = { sample: 7, share: 0.05 };

const campaign = startCampaign('edits');
const rows = [...rowsOf('whole'), ...rowsOf('loud')];

async function bandAs(text: string, lang: string) {
  return bandOf((await analyseText(text, lang)).verdict.risk_score ?? 0);
}

describe('a text that is written otherwise', () => {
  it('is edited in eight ways', () => {
    expect(EDITS.map(({ name }) => name)).toEqual([
      'homoglyphs',
      'zero-width',
      'leetspeak',
      'spacing',
      'casing',
      'emoji',
      'no diacritics',
      'cedillas',
    ]);
  });

  it('stays in its band', async () => {
    const edited = campaign.pick(editedTexts(rows, 1000), SAMPLE);
    const changed: string[] = [];
    for (const { row, edit, text } of edited)
      if ((await bandAs(text, row.lang)) !== (await bandAs(row.text, row.lang)))
        changed.push(`${row.id} ${edit}`);
    campaign.summary(`${edited.length} edited texts, ${changed.length} of them in another band`);
    const most = Math.max(MOST_CHANGED.sample, MOST_CHANGED.share * edited.length);
    expect(changed.length, changed.join(', ')).toBeLessThanOrEqual(most);
  });
});
