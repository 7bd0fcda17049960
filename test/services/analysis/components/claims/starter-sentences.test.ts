import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadClaimParser } from '../../../../../src/services/brain/claims.ts';
import { readStarterRows } from '../../../../../src/services/web/evidence-index/starter.ts';
import { startCampaign } from '../../../../campaign.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'known-false');

// The last of each row is how many sentences must be known.
it.each([
  ['sentences.tsv', 30],
  ['spoken-seen.tsv', 98],
  ['spoken-kept.tsv', 84],
])(
  '%s: debunked claims are known in many wordings, and no other sentence is taken for one',
  (file, least) => {
    const reader = loadClaimParser();
    const known = readStarterRows().flatMap(({ id, claim, wordings }) =>
      (['en', 'ro'] as const).flatMap((language) =>
        [claim[language], ...wordings[language]].map((text) => ({ id, said: reader.read(text, language) })),
      ),
    );
    const sentences = readFileSync(join(FOLDER, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split('\t') as [id: string, language: 'en' | 'ro', text: string]);
    const outcomes = sentences.map(([id, language, text]) => {
      const said = reader.read(text, language);
      // What says the same shares words; comparing each with each would cost seconds.
      const near = known.filter(({ said: wording }) =>
        wording.terms.some((term) => said.terms.includes(term)),
      );
      const matched = near.filter(
        ({ said: wording }) => wording.hash === said.hash || reader.match(said, wording, 0).isSame,
      );
      return { id, text, matched: new Set(matched.map((one) => one.id)) };
    });
    const taken = outcomes.filter(({ id, matched }) => [...matched].some((one) => one !== id));
    expect(taken.map(({ text }) => text)).toEqual([]);
    expect(outcomes.filter(({ id, matched }) => matched.has(id)).length).toBeGreaterThanOrEqual(least);
  },
);

/** A sentence that denies a wording. */
const DENIALS: Readonly<Record<'en' | 'ro', readonly ((text: string) => string)[]>> = {
  en: [
    (text) => `It is not true that ${text}`,
    (text) => `There is no evidence that ${text}`,
    (text) => text.replace(/\b(?:is|are|was|were|can|will|has|have|could|must)\b/, '$& not'),
    (text) => text.replace(/\.$/, ' is a myth.'),
  ],
  ro: [
    (text) => `Nu este adevărat că ${text}`,
    (text) => `Nu există dovezi că ${text}`,
    (text) => `Este fals că ${text}`,
    (text) => text.replace(/ (?:este|e|sunt|a|au|era|va|vor|provoacă|poate|conține|conțin) /, ' nu$&'),
  ],
};

it('takes no denial of a wording for a claim', () => {
  const campaign = startCampaign('denials of debunked claims');
  const reader = loadClaimParser();
  const rows = readStarterRows();
  const most = campaign.rounds(8, rows.length);
  const from = campaign.integer(0, rows.length - most);
  const chosen = rows.slice(from, from + most).flatMap(({ claim, wordings }) =>
    (['en', 'ro'] as const).flatMap((language) => {
      const texts = [claim[language], ...wordings[language]];
      const said = texts.map((text) => reader.read(text, language));
      const denied = texts.flatMap((text) =>
        DENIALS[language].map((deny) => deny(text)).filter((denial) => denial !== text),
      );
      return denied.map((denial) => ({ denial, language, said }));
    }),
  );
  const taken = chosen.filter(({ denial, language, said }) => {
    const denying = reader.read(denial, language);
    return said.some((wording) => reader.match(denying, wording, 1).isSame);
  });
  expect(taken.map(({ denial }) => denial)).toEqual([]);
  campaign.summary(`${chosen.length} denials, none taken for the claim`);
});
