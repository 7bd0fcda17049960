import { describe, expect, it } from 'vitest';
import taxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import { claimText } from '../../../../../src/services/analysis/engines/claims/cues.ts';
import { typeOf } from '../../../../../src/services/analysis/engines/claims/types.ts';

// Satire shows in the genre of the whole item; a sentence of it reads like any other.
const examples = taxonomy.types
  .filter((type) => type.code !== 'satire')
  .flatMap((type): [string, string][] => [
    [type.code, type.example_en],
    [type.code, type.example_ro],
  ]);

const more: [string, string][] = [
  ['statistical', 'Inflation rose to 9.8 percent in September, according to the statistics office.'],
  ['statistical', 'Peste 300.000 de români au plecat din țară, o creștere de 12% față de anul trecut.'],
  ['quotation', 'Ministrul a declarat că nu va demisiona.'],
  ['quotation', 'According to the mayor, the contract was signed in June.'],
  ['scientific_health', 'Vaccinurile provoacă autism la copii.'],
  ['conspiracy', 'They don’t want you to know the truth about the towers.'],
  ['conspiracy', 'Elitele globale ne ascund adevărul pe ascuns.'],
  ['prediction', 'Guvernul va dubla pensiile anul viitor.'],
  ['opinion', 'I think this is a terrible mess.'],
  ['question_or_call', 'Distribuiți acest mesaj până nu este șters!'],
  ['scientific_health', 'Did you know that vaccines contain live bacteria?'],
  ['media_provenance', 'Imaginile filmate ieri arată coloana de tancuri.'],
  ['identity_role', 'His brother is the director of the state company.'],
  ['comparison', 'Romania is the poorest country in the European Union.'],
  ['event', 'Poliția a arestat trei suspecți la Brașov.'],
];

/** What speaks of no time to come, though it has a word that looks like it. */
const presents = [
  'Diabetul se vindecă în 21 de zile, dar ei nu vor ca tu să afli.',
  'Înaintea rețetei medicul vă întreabă ce alte medicamente luați.',
  'Dioxidul de carbon este hrana plantelor, iar ei vă cer să îl plătiți.',
];

describe('typeOf', () => {
  it.each(presents)('names no prediction: %s', (sentence) => {
    expect(typeOf(claimText(sentence))).not.toBe('prediction');
  });

  it('names a prediction beside a pronoun', () => {
    expect(typeOf(claimText('Guvernul vă va dubla pensiile anul viitor.'))).toBe('prediction');
    expect(typeOf(claimText('Banca vă va trimite cardul luna viitoare.'))).toBe('prediction');
  });

  it.each([...examples, ...more])('%s: %s', (type, sentence) => {
    expect(typeOf(claimText(sentence))).toBe(type);
  });

  it('reads Romanian typed without diacritics alike', () => {
    expect(typeOf(claimText('Preturile au crescut cu 12 la suta intr-un an.'))).toBe('statistical');
    expect(typeOf(claimText('Primarul a spus ca bazinul va fi vandut.'))).toBe('quotation');
  });
});

describe('orders and steps', () => {
  it.each([
    'Order the Original Kernel Tea today.',
    'Deposit 250 dollars and start trading at once.',
    'Register here and pick your prize.',
    'Bake at 170 degrees for an hour.',
    'Add 200 grams of sugar and two eggs.',
    'Se coace la 170 de grade timp de o oră.',
    'Se adaugă 200 de grame de zahăr.',
    'Achitati aici: http://posta-plata.example/pay',
    'Depuneți 250 de lei și începeți să tranzacționați.',
    'Comandați acum ceaiul original din sâmburi.',
  ])('state nothing: %s', (sentence) => expect(typeOf(claimText(sentence))).toBe('question_or_call'));

  it.each([
    'Stop the vaccine, it kills children.',
    'Order the tea today, it cures cancer in a week.',
    'Mix garlic with milk and it kills the virus.',
    'Add two drops of bleach to the milk to cure the flu.',
    'Order was restored in the city on Monday.',
    'Deposit insurance covers 100,000 euros.',
    'Pay rose by 12 percent in a year.',
    'Opriți vaccinul, omoară copii.',
    'Se taie pensiile cu 20 la sută.',
    'Se adaugă un impozit nou pe locuințe.',
    'Se fierbe ceapa cu zahăr și vindecă gripa.',
    'Plătiți de două ori mai mult decât germanii pentru gaz.',
  ])('state something where a fact follows, or where they are none: %s', (sentence) =>
    expect(typeOf(claimText(sentence))).not.toBe('question_or_call'),
  );
});

describe('the pronoun "vă" before a verb of the present', () => {
  it.each([
    'Vă rog să citiți cifrele: 40 la sută dintre spitale sunt închise.',
    'Va spunem ca 300 de oameni au murit in spital.',
    'Vă informăm că apa are cinci miligrame de nitrați la litru.',
    'Vă așteaptă 20 de medici la noua clinică.',
  ])('is no future: %s', (sentence) => expect(typeOf(claimText(sentence))).not.toBe('prediction'));

  it.each(['Va ruga guvernul să dubleze pensiile anul viitor.', 'Ministrul vă va trimite facturi duble.'])(
    'stands beside one that is: %s',
    (sentence) => expect(typeOf(claimText(sentence))).toBe('prediction'),
  );
});

describe('a past act on what is to come', () => {
  it.each([
    ['The council approved on Monday a budget of 40 million euros for next year.', 'statistical'],
    ['Consiliul a aprobat luni bugetul de 40 de milioane de lei pentru anul viitor.', 'statistical'],
    ['Guvernul a adoptat ieri legea care va intra în vigoare la anul.', 'legal_policy'],
    ['The senate passed a law that will ban the drug next year.', 'scientific_health'],
  ])('is no prediction: %s', (sentence, type) => expect(typeOf(claimText(sentence))).toBe(type));

  it.each([
    'The company lost money and will close 40 shops next year.',
    'The war began when the treaty ended, and it will end next year.',
    'The party that lost the vote will govern next year.',
    'Prices will rise by ten percent next year.',
    'Compania a pierdut bani și va închide 40 de magazine la anul.',
    'Prețurile vor crește cu zece la sută la anul.',
  ])('is one where the main verb is of the future: %s', (sentence) =>
    expect(typeOf(claimText(sentence))).toBe('prediction'),
  );
});
