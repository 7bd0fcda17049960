import { describe, expect, it } from 'vitest';
import { encodingOf } from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { toPlainText } from '../../../../../src/services/analysis/engines/plain-text.ts';
import { findScam } from '../../../../../src/services/analysis/engines/scam/scam.ts';
import { shippedVerdictRules } from '../../../../../src/services/analysis/resources/verdict-rules.ts';
import { packagedEncoder } from '../../../../../training/evaluate/task.ts';
import { analyseText } from '../../../../../training/judgement/analysis.ts';
import { rowsOf } from '../../../../../training/judgement/sets.ts';

const least = shippedVerdictRules.thresholds.scam_lure.confidence;
const found = (text: string, language: string) => findScam(toPlainText(text), language);
/** The confidence of the surest lure of a text, by signs and meaning; 0 without any. */
const confidenceOf = (text: string, language: string) =>
  findScam(toPlainText(text), language, encodingOf(packagedEncoder(), { text, language }))?.confidence ?? 0;
const isLure = (text: string, language: string) => (found(text, language)?.confidence ?? 0) >= least;
const rows = rowsOf('scams');

describe('lures', () => {
  it('are recognised in nine of ten written messages, and none in honest look-alikes', () => {
    const lures = rows.filter(({ scam }) => scam === true);
    const recognised = lures.filter(({ text, lang }) => isLure(text, lang));
    expect(recognised.length / lures.length).toBeGreaterThanOrEqual(0.9);
    expect(
      rows.filter(({ scam, text, lang }) => scam !== true && isLure(text, lang)).map(({ id }) => id),
    ).toEqual([]);
  });

  it.each([
    [
      'ro',
      'Stimate domn, un client al meu, decedat într-un accident, a lăsat 8,5 milioane de dolari fără moștenitor. Pentru deschiderea dosarului este necesară o taxă notarială de 450 de euro.',
      '8,5 milioane de dolari fără moștenitor',
    ],
    [
      'ro',
      'Posta Romana: coletul dumneavoastra nu a putut fi livrat din cauza adresei incomplete. Achitati taxa de relivrare de 2,49 lei: posta-ro.xyz/livrare',
      'Achitati taxa de relivrare de 2,49',
    ],
    [
      'en',
      "Hi mum, I dropped my phone in the toilet so this is my new number. I need to pay a bill today and I'm locked out of my banking for 48 hours. Could you lend me £1,450?",
      'Could you lend me £1,450',
    ],
  ])('are shown with whole sums: %s: %s', (language, text, quote) => {
    const encoding = encodingOf(packagedEncoder(), { text, language });
    const quotes = findScam(toPlainText(text), language, encoding)?.spans.map((span) => span.quote);
    expect(quotes).toContain(quote);
  });

  it('are shown by more than a word where their meaning gave them away', () => {
    const text =
      'Congratulations, shopper! You are one of 100 customers chosen for our loyalty reward, a vacuum cleaner. Answer three questions and cover the £2.95 postage with your card.';
    const scam = findScam(toPlainText(text), 'en', encodingOf(packagedEncoder(), { text, language: 'en' }));
    expect(scam?.spans.map(({ quote }) => quote).join(' ')).toContain('£2.95 postage with your card');
  });

  it('are in no calm passage', () => {
    expect(rowsOf('calm').filter(({ text, lang }) => isLure(text, lang))).toEqual([]);
  });

  it('are not made of signs that stand far apart in a long page', () => {
    const [won, card] = [
      'You WON a phone!',
      'Pay only 2 euros for shipping and enter your card details within 10 minutes.',
    ];
    const between = 'The council repaired the bridge over the river and opened it again in May. '.repeat(60);
    expect(found(`${won} ${card} ${between}`, 'en')).toMatchObject({ code: 'prize' });
    expect(found(`${between} ${won} ${between} ${card}`, 'en')?.code).not.toBe('prize');
  });

  it('show the passages that say so', () => {
    const text =
      'You WON a phone! Pay only 2 euros for shipping and enter your card details within 10 minutes.';
    const lure = found(text, 'en');
    expect(lure).toMatchObject({ code: 'prize' });
    expect(lure?.spans.length).toBeGreaterThanOrEqual(2);
    for (const span of lure?.spans ?? [])
      expect(text.slice(span.start_utf16, span.end_utf16)).toBe(span.quote);
  });

  it.each([
    ['en', 'Your electricity is cut off tonight. Ring us and pay the balance with two vouchers.'],
    ['ro', 'Aici poliția. Plătiți amenda azi cu două carduri cadou, altfel vine mandatul.'],
    ['en', 'We found a login from Peru. Verify your identity now or lose access to your money.'],
  ])('%s: are recognised by their meaning with any sign: %s', (language, text) => {
    const encoding = encodingOf(packagedEncoder(), { text, language });
    expect(found(text, language)).toBeNull();
    expect(findScam(toPlainText(text), language, encoding)?.confidence).toBeGreaterThanOrEqual(least);
  });

  it.each([
    [
      'en',
      'Police in Bexham warn of calls from a false nurse. "Your brother needs a plate for his jaw and the firm wants 1,900 today," she said to one woman, who paid. Officers ask anyone who was called to report it.',
      'Your brother needs a plate for his jaw and the firm wants 1,900 today. Pay it now by transfer and do not ring the ward, I am calling from my own phone.',
    ],
    [
      'ro',
      'Poliția din Bacău avertizează: o falsă asistentă sună seara. „Fratele are nevoie de o placă și firma vrea azi 8.500 de lei”, i-a spus unei femei, care a plătit. Cine a fost sunat e rugat să anunțe.',
      'Fratele dumneavoastră are nevoie de o placă și firma vrea azi 8.500 de lei. Trimiteți banii acum și nu sunați la secție, vorbesc de pe telefonul meu.',
    ],
  ])('%s: are none where the police quote them', (language, warning, lure) => {
    expect(confidenceOf(warning, language)).toBeLessThan(least);
    expect(confidenceOf(lure, language)).toBeGreaterThanOrEqual(least);
  });

  it.each([
    [
      'en',
      '"Baking soda with lemon cures diabetes in 21 days," promises a text that is shared more and more. There is no evidence. Whoever stops their insulin may wake up in intensive care within days, as a patient of the county hospital did. Exercise and food do help, and that is done with a doctor.',
      'Baking soda with lemon cures diabetes in 21 days. Throw your insulin away, as I did, and my doctor could not believe the results.',
    ],
    [
      'ro',
      '„Bicarbonatul cu lămâie vindecă diabetul în 21 de zile”, promite un text tot mai distribuit. Nu există nicio dovadă. Cine își oprește insulina se poate trezi, în câteva zile, la reanimare, cum a pățit un pacient al spitalului județean. Mișcarea și alimentația ajută, iar asta se face cu medicul.',
      'Bicarbonatul cu lămâie vindecă diabetul în 21 de zile. Renunțați la insulină, cum am făcut eu, iar medicul n-a putut crede ce analize am.',
    ],
  ])('%s: a cure is none where another text is said to promise it', (language, check, cure) => {
    expect(confidenceOf(check, language)).toBeLessThan(least);
    expect(confidenceOf(cure, language)).toBeGreaterThanOrEqual(least);
  });

  it.each([
    ['en', 'Your electricity bill for May is 48.20. We collect it on the 12th as usual.'],
    ['ro', 'Factura de curent pe luna mai este de 148 de lei. O puteți plăti până pe 12.'],
    ['en', 'Police warn: whoever asks you to pay a fine with gift cards is a fraud. Hang up.'],
  ])('%s: an honest message is none by its meaning: %s', (language, text) => {
    const encoding = encodingOf(packagedEncoder(), { text, language });
    expect(findScam(toPlainText(text), language, encoding)).toBeNull();
  });

  it.each([
    [
      'en',
      'romance',
      'My dearest, I think of you every morning on the platform. The leave papers are ready and I can fly to you on Friday, but the office holds them until the fee of 600 is paid. Send it by gift cards, my love, and tell nobody, they would not understand us.',
    ],
    [
      'ro',
      'romance',
      'Draga mea, mă gândesc la tine în fiecare dimineață pe platformă. Actele de concediu sunt gata și pot zbura la tine vineri, dar biroul le ține până se plătește taxa de 600 de euro. Trimite-mi banii, iubirea mea, și nu spune nimănui, n-ar înțelege.',
    ],
    [
      'en',
      'job_offer',
      'Hello! Our partner is hiring online assistants: like videos and follow pages from your phone, 30 minutes a day, 150 dollars daily. No experience and no interview. Write to the manager on WhatsApp to receive your first task, the starter deposit is returned the same evening.',
    ],
    [
      'ro',
      'job_offer',
      'Angajăm asistenți online: dai like la clipuri de pe telefon, o jumătate de oră pe zi, 600 de lei zilnic, fără experiență și fără interviu. Scrie managerului pe WhatsApp pentru prima sarcină.',
    ],
    [
      'en',
      'tech_support',
      'WARNING: your computer is infected and your files are being copied. Do not switch it off. Call our technicians at once on the number below and let them connect to your screen to remove the virus; the licence costs 249.',
    ],
    [
      'ro',
      'tech_support',
      'ATENȚIE: calculatorul dumneavoastră este infectat și fișierele se copiază. Nu îl închideți. Sunați imediat tehnicienii noștri la numărul de mai jos și lăsați-i să se conecteze la ecran ca să scoată virusul; licența costă 1.249 de lei.',
    ],
    [
      'en',
      'charity_fraud',
      'Little Mia, 4, has days left without surgery and the clinic wants the money tonight. Every minute counts. Send whatever you can to the private account below, the foundation site is being repaired, and forward this to ten friends.',
    ],
    [
      'ro',
      'charity_fraud',
      'Micuța Maria are 4 ani și mai are nevoie de o operație în străinătate. Nu folosiți pagina spitalului, este blocată. Donați direct în contul personal de mai jos și dați mai departe, timpul trece.',
    ],
  ])('%s: are named, with advice of their own: %s', (language, code, text) => {
    const encoding = encodingOf(packagedEncoder(), { text, language });
    const lure = findScam(toPlainText(text), language, encoding);
    expect(lure).toMatchObject({ code });
    expect(lure?.confidence).toBeGreaterThanOrEqual(least);
    expect(lure?.advice_en).not.toBe(lure?.advice_ro);
    for (const span of lure?.spans ?? [])
      expect(text.slice(span.start_utf16, span.end_utf16)).toBe(span.quote);
  });

  it.each([
    [
      'en',
      'I miss you. The ship docks in Rotterdam on the 14th and I will take the night train. Do you want me to bring the cheese you liked? Kiss the boys.',
    ],
    [
      'ro',
      'Mi-e dor de tine. Vaporul ajunge la Constanța pe 14 și iau trenul de noapte. Să aduc brânza care ți-a plăcut? Pupă-i pe băieți.',
    ],
    [
      'en',
      'The depot is hiring four drivers from March. The contract is permanent, 38 hours a week. Apply with your licence at the gate or write to the personnel office; interviews are on the 12th.',
    ],
    [
      'ro',
      'Depoul angajează patru șoferi din martie. Contractul este pe perioadă nedeterminată, 40 de ore pe săptămână. Depuneți CV-ul la poartă; interviurile sunt pe 12.',
    ],
    [
      'en',
      'The help desk will update your laptop on Tuesday night. Leave it plugged in and switched on. We never ask for your password; if something does not start on Wednesday, dial 311.',
    ],
    [
      'ro',
      'Departamentul IT actualizează laptopurile marți noaptea. Lăsați-le la priză. Nu vă cerem niciodată parola; dacă miercuri ceva nu pornește, sunați la interior 311.',
    ],
    [
      'en',
      'The hospice shop collects coats until Friday. Drop them at the desk, open from ten to four. The accounts of the charity are on its site, and receipts are given for every donation.',
    ],
    [
      'ro',
      'Asociația strânge haine groase până vineri. Le puteți lăsa la recepție, între orele 10 și 16. Conturile asociației sunt publicate, iar pentru donații se dă chitanță.',
    ],
  ])('%s: an honest message of the same matter is none: %s', (language, text) => {
    const encoding = encodingOf(packagedEncoder(), { text, language });
    expect(findScam(toPlainText(text), language, encoding)).toBeNull();
  });

  it.each([
    [
      'en',
      'Whoever leaves a final salary pension gives up a guaranteed income. Find the adviser on the public register and call the number it gives.',
    ],
    [
      'en',
      'Since the farm had passed free of inheritance tax for forty years, the brothers asked how they should pay the tax on a barn.',
    ],
    ['en', 'Those who have not inherited a house pay rent of 900 pounds a month, the report found.'],
  ])('%s: advice on pensions, inheritance and tax is none by its signs: %s', (language, text) => {
    expect(isLure(text, language)).toBe(false);
  });

  it.each([
    ['en', 'Guaranteed daily profit! Register your card today and join our Telegram group.', 'investment'],
    ['en', 'You will inherit nine million dollars. Pay the transfer fee to our lawyer.', 'advance_fee'],
  ])('%s: yet promises of gain still are: %s', (language, text, code) => {
    expect(found(text, language)).toMatchObject({ code });
  });

  it('are the speaker’s where a report quotes them', () => {
    const text =
      'The police said that one message read: "You won a phone! Pay the shipping and enter your card details today." Officers advise to delete it.';
    expect(isLure(text, 'en')).toBe(false);
  });

  it.each([
    [
      'en',
      'Stop the insulin: these drops reverse diabetes in 9 days, but no doctor will tell you.',
      'doctor',
    ],
    [
      'ro',
      'Cardul dumneavoastră a fost blocat. Confirmați numărul cardului și codul CVV pe linkul de mai jos, altfel contul va fi închis.',
      'banca',
    ],
  ])('raise the risk to the floor and say whom to ask: %s', async (language, text, whom) => {
    const { verdict } = await analyseText(text, language);
    expect(verdict.risk_score).toBeGreaterThanOrEqual(50);
    expect(verdict.risk_score).toBeLessThanOrEqual(59);
    expect(verdict.override_type).toBe('scam_lure');
    expect(language === 'en' ? verdict.explanation_en : verdict.explanation_ro).toContain(whom);
  });
});

describe('explanations', () => {
  it.each([
    [
      'en',
      'Flu vaccines give people flu, and five hospitals stopped vaccinating their own staff in 2019. Most patients who are vaccinated in October fall ill in March.',
    ],
    [
      'ro',
      'Vaccinul antigripal dă gripă, iar cinci spitale nu și-au mai vaccinat angajații din 2019. Majoritatea pacienților vaccinați în octombrie se îmbolnăvesc în martie.',
    ],
  ])('never calm a reader about health that nobody checked: %s', async (language, text) => {
    const { verdict } = await analyseText(text, language);
    expect(verdict.explanation_en).not.toContain('nothing that should worry');
    expect(verdict.explanation_en).toContain('was not checked');
    expect(verdict.explanation_ro).toContain('nu a fost verificat');
  });
});
