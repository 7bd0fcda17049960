import { expect, it } from 'vitest';
import { voicesOf } from '../../../../../src/services/analysis/components/claims/voices.ts';

it('pages of one site or of one publisher speak with one voice', () => {
  const voices = voicesOf([
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
