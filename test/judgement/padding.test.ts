import { expect, it } from 'vitest';
import { packageFile } from '../../src/foundation/files.ts';
import { analyseText } from '../../training/judgement/analysis.ts';
import { rowsOf, wholeTexts } from '../../training/judgement/sets.ts';
import { startCampaign } from '../campaign.ts';

const MEDIUM = 40;
/** Texts of another hand, of which nothing learns. */
const HAND = packageFile('training', 'data', 'hands', 'b');
/** Share of the padded texts that still falls below the band; without reading in parts it is 0.72. None should. */
const KNOWN_SHARE = 0.33;

const campaign = startCampaign('padding');
const riskOf = async (text: string, lang: string) => (await analyseText(text, lang)).verdict.risk_score ?? 0;

/** As much calm text as the text is long. */
function calmText(length: number, lang: string, start: number): string {
  const passages = rowsOf('calm').filter((row) => row.lang === lang);
  let text = '';
  for (let at = start; text.length < length; at += 1)
    text += `${passages[at % passages.length]?.text ?? ''}\n\n`;
  return text;
}

it('a loud text among as much calm text stays in its band', async () => {
  const rows = wholeTexts(HAND).filter(({ expected }) => !(expected?.accept ?? []).includes('low'));
  const places = rows.flatMap((row, at) => [false, true].map((before) => ({ row, at, before })));
  const fallen: { id: string; before: boolean; risk: number }[] = [];
  let tried = 0;
  for (const { row, at, before } of places) {
    if ((await riskOf(row.text, row.lang)) < MEDIUM) continue;
    tried += 1;
    const calm = calmText(row.text.length, row.lang, 7 * at);
    const risk = await riskOf(before ? `${calm}${row.text}` : `${row.text}\n\n${calm}`, row.lang);
    if (risk < MEDIUM) fallen.push({ id: row.id, before, risk });
  }
  campaign.summary(`${tried} padded texts, ${fallen.length} below the band`);
  expect(tried).toBeGreaterThan(60);
  expect(fallen.length / tried, JSON.stringify(fallen)).toBeLessThanOrEqual(KNOWN_SHARE);
});
