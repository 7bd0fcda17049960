import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import {
  createClaimsEngine,
  MOST_CLAIMS,
} from '../../../../../src/services/analysis/engines/claims/engine.ts';
import { queriesOf } from '../../../../../src/services/analysis/engines/claims/queries.ts';
import { loadVectorHead } from '../../../../../src/services/analysis/engines/claims/vector-head.ts';
import { encodingOf } from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { claimItem } from '../../../../../src/services/analysis/resources/claims-result.ts';
import { loadLinear } from '../../../../../src/text/linear.ts';
import { packagedEncoder } from '../../../../../training/evaluate/task.ts';
import { runs } from '../../../../campaign.ts';
import { codePoint } from '../../../../code-points.ts';

const modelOf = (name: string) => loadLinear(readFileSync(packageFile('models', `${name}.bin`)));
const engine = createClaimsEngine({ words: modelOf('claims-words'), cues: modelOf('claims-cues') });

const withVectors = createClaimsEngine({
  words: modelOf('claims-words'),
  cues: modelOf('claims-cues'),
  head: loadVectorHead(),
});

const english =
  'Good evening and welcome. The unemployment rate fell to 4.1 percent in 2019, according to the Labor Department. 😀 ' +
  'I think this is a terrible and shameful mess. Why does nobody ask? The mayor said the pool will be sold. ' +
  'Rents will halve by 2030 and 40 percent of families will save $200.';
const romanian =
  'Bună seara. Rata șomajului a scăzut la 4,1% în 2019, potrivit INS. Cred că e o rușine ce se întâmplă. ' +
  'De ce tace toată lumea? Guvernul a majorat salariul minim la 4.050 de lei.';

describe('proposed queries', () => {
  it('keep the numbers and names of a long claim', () => {
    const claim =
      'Large supermarket chains across northern regions reported noticeably falling prices for fresh bread, milk and vegetables while inflation in Romania reached 6.6 percent in October 2023';
    const [first] = queriesOf(claim, 'statistical', 'en');
    for (const word of ['Romania', '6.6', 'October', '2023']) expect(first?.split(' ')).toContain(word);
    expect(first?.split(' ')).toHaveLength(10);
  });
});

describe('claims engine', () => {
  it('finds English claims with types, statuses and queries', () => {
    const claims = engine.extract({ text: english, language: 'en' });
    const statistic = claims.find((claim) => claim.type === 'statistical');
    expect(statistic?.text).toMatch(/^The unemployment rate/);
    expect(statistic?.status).toBe('unverified');
    expect(statistic?.confidence).toBeNull();
    expect(statistic?.queries[0]).toMatch(/unemployment rate fell 4\.1 percent 2019/);
    expect(claims.find((claim) => claim.type === 'opinion')?.status).toBe('opinion');
    expect(claims.some((claim) => claim.text.includes('welcome') || claim.text.includes('?'))).toBe(false);
  });

  it('takes what states a fact for a claim, though a word of it judges', () => {
    const text =
      'Am deschis prăvălia la nouă. Firmele de medicamente au leacul pentru cancer de ani buni, dar îl țin ascuns. Apoi am mers acasă.';
    const encoding = encodingOf(packagedEncoder(), { text, language: 'ro' });
    const found = withVectors.extract({ text, language: 'ro', encoding });
    expect(found.map(({ text: claim, status }) => [claim.slice(0, 6), status])).toContainEqual([
      'Firmel',
      'unverified',
    ]);
  });

  it('finds Romanian claims', () => {
    const claims = engine.extract({ text: romanian, language: 'ro' });
    expect(claims.map((claim) => claim.type)).toEqual(['statistical', 'opinion', 'statistical']);
    expect(claims[0]?.queries[1]).toMatch(/verificare fapte$/);
  });

  it('gives items that fit the interface and quote the text', () => {
    for (const [text, language] of [
      [english, 'en'],
      [romanian, 'ro'],
    ] as const) {
      for (const claim of engine.extract({ text, language })) {
        expect(claimItem.parse(claim)).toEqual(claim);
        expect([...text].slice(claim.span.start, claim.span.end).join('')).toBe(claim.text);
      }
    }
  });

  it('lists a repeated sentence once and never more than a reader can follow', () => {
    const sentence = 'The budget deficit reached 70 billion dollars in 2012.';
    expect(engine.extract({ text: `${sentence} `.repeat(5), language: 'en' })).toHaveLength(1);
    const many = Array.from({ length: 200 }, (_, index) => sentence.replace('70', String(index + 100))).join(
      ' ',
    );
    const claims = engine.extract({ text: many, language: 'en' });
    expect(claims).toHaveLength(MOST_CLAIMS);
    const starts = claims.map((claim) => claim.span.start);
    expect(starts).toEqual([...starts].sort((one, two) => one - two));
  });

  it('takes any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint, maxLength: 300 }),
        fc.constantFrom('en', 'ro', 'und'),
        (text, language) => {
          for (const claim of engine.extract({ text, language })) expect(text).toContain(claim.text);
        },
      ),
      { numRuns: runs(50) },
    );
  });
});

describe('kinds of claims that debates hardly hold', () => {
  it.each([
    ['en', 'Doctors admit this one trick destroys the virus.', 'scientific_health'],
    ['en', '5G towers spread the coronavirus.', 'scientific_health'],
    ['en', 'The photo shows migrants burning a church in Lyon.', 'media_provenance'],
    ['en', 'The vaccine contains a microchip.', 'conspiracy'],
    ['ro', 'Apa fiartă cu lămâie vindecă gripa în două zile.', 'scientific_health'],
    ['ro', 'Antenele 5G răspândesc coronavirusul.', 'scientific_health'],
  ])('finds (%s) %s', (language, text, type) => {
    expect(engine.extract({ text, language })).toMatchObject([{ type, status: 'unverified' }]);
  });

  it.each([
    ['en', 'I love my country.'],
    ['ro', 'Ne ascund adevărul.'],
  ])('leaves alone (%s) %s', (language, text) => {
    expect(engine.extract({ text, language })).toEqual([]);
  });
});
