import { expect, it } from 'vitest';
import { packageFile } from '../../src/foundation/files.ts';
import { analyseText } from '../../training/judgement/analysis.ts';
import { rowsOf, wholeTexts } from '../../training/judgement/sets.ts';
import { startCampaign } from '../campaign.ts';

const MEDIUM = 40;
/** Texts of another hand, of which nothing learns. */
const HAND = packageFile('training', 'data', 'hands', 'b');
/** Loud texts padded at one end in `npm test`; all of them at both ends in a long run. */
const SAMPLE = 30;
/**
 * Share of the padded texts that may fall below the band: about 0.15 do (16 of 108), 0.72 without reading in parts. None should. Of a
 * sample of some thirty more than 0.4 fall in less than one of a thousand draws.
 */
const KNOWN_SHARE = { long: 0.18, sample: 0.4 } as const;
const FEWEST = { long: 60, sample: 20 } as const;

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
  const alone = new Map<string, number>();
  const fallen: { id: string; before: boolean; risk: number }[] = [];
  let tried = 0;
  for (const { row, at, before } of campaign.pick(places, SAMPLE)) {
    const own = alone.get(row.id) ?? (await riskOf(row.text, row.lang));
    alone.set(row.id, own);
    if (own < MEDIUM) continue;
    tried += 1;
    const calm = calmText(row.text.length, row.lang, 7 * at);
    const risk = await riskOf(before ? `${calm}${row.text}` : `${row.text}\n\n${calm}`, row.lang);
    if (risk < MEDIUM) fallen.push({ id: row.id, before, risk });
  }
  campaign.summary(`${tried} padded texts, ${fallen.length} below the band`);
  const size = campaign.long ? 'long' : 'sample';
  expect(tried).toBeGreaterThan(FEWEST[size]);
  expect(fallen.length / tried, JSON.stringify(fallen)).toBeLessThanOrEqual(KNOWN_SHARE[size]);
});
