import { describe, expect, it } from 'vitest';
import { foldedSentences } from '../../../../../src/services/analysis/engines/ai-text/passages.ts';
import { findResidue } from '../../../../../src/services/analysis/engines/ai-text/residue.ts';

const find = (text: string) => findResidue(text, foldedSentences(text));

const cases: [string, string][] = [
  ['assistant_boilerplate', 'As an AI language model, I cannot give medical advice.'],
  ['assistant_boilerplate', 'The bridge is old. I’m sorry, but I can’t assist with that request.'],
  ['assistant_boilerplate', 'Certainly! Here is a 300-word article about bridges.'],
  ['assistant_boilerplate', 'Here is the rewritten article:\n\nThe bridge is old.'],
  ['assistant_boilerplate', 'As of my last knowledge update in September 2021, the bridge was open.'],
  ['assistant_boilerplate', 'Would you like me to adjust the tone or expand any part?'],
  ['assistant_boilerplate', 'Ca model de limbaj, nu pot oferi sfaturi medicale.'],
  ['assistant_boilerplate', 'Desigur! Iată articolul pe care l-ai cerut.'],
  ['assistant_boilerplate', 'Iată versiunea rescrisă a textului.'],
  ['prompt_leak', 'Write a 500-word article about the bridge in a neutral tone.\nThe bridge is old.'],
  ['prompt_leak', 'Rescrie următorul text într-un stil jurnalistic:\nPodul este vechi.'],
  ['unfilled_placeholder', 'The mayor, [insert name], opened the bridge.'],
  ['unfilled_placeholder', 'Stimate [Nume], podul s-a deschis.'],
  ['unfilled_placeholder', 'Primarul [introduceți numele] a deschis podul.'],
  ['unfilled_placeholder', 'Dear {{first_name}}, the bridge is open.'],
  ['tool_markup_residue', 'The bridge is old.:contentReference[oaicite:0]{index=0}'],
  ['tool_markup_residue', 'The bridge is old. citeturn0search0'],
  ['tool_markup_residue', 'The bridge is old【12†source】.'],
  ['tool_markup_residue', 'See https://example.org/a?utm_source=chatgpt.com for more.'],
];

const silent = [
  'The chatbot answered: "As an AI language model, I cannot give medical advice."',
  '„Ca model de limbaj, nu pot oferi sfaturi medicale”, a răspuns asistentul.',
  'Researchers counted papers with the phrase "as an AI language model".',
  'Many students paste answers that begin with As an AI language model without reading them.',
  'The witness [name withheld] said that [the company] knew.',
  'He said the turn was sharp and the search took two days.',
  'Here is the report of the council.',
  'Sigur că podul este vechi.',
  'Pupils had to write an essay about their summer.',
  'Let me know if you see my dog.',
  'Let me know if you have any further details on this.',
  'Sure, here is the thing: nobody asked.',
  'Certainly! Here are the results of the vote.',
];

describe('findResidue', () => {
  it.each(cases)('%s: %s', (code, text) => {
    const found = find(text);
    expect(found.map((item) => item.code)).toEqual([code]);
    expect(text.slice(found[0]?.start, found[0]?.end).length).toBeGreaterThan(3);
  });

  it.each(silent)('nothing: %s', (text) => expect(find(text)).toEqual([]));

  it('lists a few of many tokens', () => {
    expect(find('Old. citeturn0search1 '.repeat(3000))).toHaveLength(5);
  });
});
