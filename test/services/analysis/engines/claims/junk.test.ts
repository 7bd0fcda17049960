import { describe, expect, it } from 'vitest';
import { claimText } from '../../../../../src/services/analysis/engines/claims/cues.ts';
import { isJunk, withoutJunk } from '../../../../../src/services/analysis/engines/claims/junk.ts';
import { typeOf } from '../../../../../src/services/analysis/engines/claims/types.ts';
import { sentencesOf } from '../../../../../src/text/sentences.ts';

describe('lines that are no claims', () => {
  it.each([
    'By John Smith and Ann Lee, Reuters',
    'De Ion Popescu, 12 martie 2024, ora 10:30',
    'Foto: Inquam Photos / George Călin',
    'Publicat: 3 mai 2023, 14:05',
    '1,204 likes 56 comments 12 shares',
    '12K views · 3 days ago',
    'https://example.org/news/2024/03/a-long-address-of-a-page',
    'Read more: Ten thousand people left the city in March',
    'Citește și: Zece mii de oameni au plecat din oraș în martie',
    'Watch: The minister resigned in 2019',
    'Home | News | Sport | Weather',
    'March 3, 2024 10:15 am',
    'Copyright 2024. All rights reserved.',
    'The Associated Press contributed to this report.',
    'FILE - The minister speaks during a news conference on Monday, March 3, 2014.',
    '2008 Election 2010 Election Big Media Bush Cartoon Democrats Economy Fox News Reform Taxes',
  ])('%s', (line) => {
    expect(isJunk(claimText(line))).toBe(true);
  });

  it.each([
    'By 2019 unemployment had fallen to 4 percent.',
    'De trei ani prețurile cresc cu 10 la sută pe an.',
    'The video, with 3 million views, shows a fire of 2015.',
    'Photos show that the bridge collapsed on Monday.',
    'According to https://example.org the ministry spent 40 million lei on roads last year.',
    'Image analysis found that the picture was taken in 2012.',
  ])('keeps "%s"', (line) => {
    expect(isJunk(claimText(line))).toBe(false);
  });

  it('keeps the longer of a sentence and its pull quote', () => {
    const text =
      'The mayor said that the city lost forty million euros in 2019.\nThe city lost forty million euros in 2019\nNothing else.';
    const read = sentencesOf(text).map((sentence) => ({ sentence, text: claimText(sentence.text) }));
    expect(withoutJunk(read).map(({ sentence }) => sentence.text)).toEqual([
      'The mayor said that the city lost forty million euros in 2019.',
      'Nothing else.',
    ]);
  });
});

describe('findings of the past', () => {
  it.each([
    ['A 2019 study found that the drug would reduce the risk by half.', false],
    ['Cercetătorii au constatat că oamenii vor dormi mai puțin la bătrânețe.', false],
    [
      'The government finalised the plan in 2015, which aims to cut emissions below 2005 levels by 2030.',
      false,
    ],
    ['It was going to the repair shop on Monday.', false],
    ['The economists expect that prices will rise by ten percent.', true],
    ['Prețurile vor crește cu zece la sută la anul.', true],
  ])('%s', (text, prediction) => {
    expect(typeOf(claimText(text)) === 'prediction').toBe(prediction);
  });
});

describe('abbreviations', () => {
  it.each([
    'The court overturned Roe v. Wade in 2022 by five votes.',
    'Atty. Gen. Barr wrote it in 2019.',
    'Conf. univ. dr. Ana Pop a publicat studiul în 2020.',
    'Subcms. Ion Radu a semnat raportul.',
  ])('does not cut "%s"', (text) => {
    expect(sentencesOf(text)).toHaveLength(1);
  });
});
