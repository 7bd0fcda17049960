import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyseText } from '../../training/judgement/analysis.ts';

/** One sentence in plain words, a denial or a sober fact on a loud subject, is calm. */
const CALM_BELOW = 20;

const rows = readFileSync(new URL('short-texts.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [string, string]);

describe('one plain sentence', () => {
  it.each(rows)('is calm (%s): %s', async (lang, text) => {
    expect((await analyseText(text, lang)).verdict.risk_score ?? 0).toBeLessThan(CALM_BELOW);
  });
});
