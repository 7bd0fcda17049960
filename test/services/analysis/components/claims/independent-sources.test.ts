import { expect, it } from 'vitest';
import { independentSourcesOf } from '../../../../../src/services/analysis/components/claims/independent-sources.ts';

it('pages of one site or of one publisher speak with one voice', () => {
  const voices = independentSourcesOf([
    { url: 'https://a.example/1', publisher: 'The Agency' },
    { url: 'https://www.a.example/2', publisher: null },
    { url: 'https://b.example/', publisher: 'the agency ' },
    { url: 'https://c.example/', publisher: 'Another' },
    { url: 'https://d.example/', publisher: null },
    { url: 'https://e.example/', publisher: '' },
  ]);
  expect(voices[1]).toBe(voices[0]);
  expect(voices[2]).toBe(voices[0]);
  expect(new Set(voices.slice(2)).size).toBe(4);
});

it('pages of one text speak with one voice, whatever they changed in it', () => {
  const [one, two, other] = independentSourcesOf([
    { url: 'https://a.example/', publisher: null, copies: [{ url: 'https://b.example/' }] },
    { url: 'https://b.example/', publisher: null, copies: [{ url: 'https://a.example/' }] },
    { url: 'https://c.example/', publisher: null, copies: [] },
  ]);
  expect(two).toBe(one);
  expect(other).not.toBe(one);
});
