import { describe, expect, it } from 'vitest';
import type { ClaimItem } from '../../../../../src/services/analysis/resources/claims-result.ts';
import { aiBlock, calm, claim, claimsBlock, indicator, ran, skipped, techniquesBlock } from '../blocks.ts';
import { explained, loud, noContext, technique, undecided } from './explained.ts';

const held = () => claim('verified_true', 3);
/** A claim on no sensitive topic that nothing decided. */
const open = (over: Partial<ClaimItem> = {}) =>
  claim('unverified', 0, { text: 'The bridge was opened in May.', type: 'event', ...over });

describe('what an explanation does not say', () => {
  const attribution = {
    rule: 'missing_attribution',
    value: 0.5,
    points: 7,
    spans: [],
    text_en: 'Factual statements come without a source.',
    text_ro: 'Afirmațiile factuale nu au nicio sursă.',
  };
  const unattributed = { ...noContext, summary: { rules: [attribution] } };

  it('misses no sources for a text without a single claim', () => {
    const nothing = calm({ claims: ran(claimsBlock(null, [])) });
    const { explanation_en: en, explanation_ro: ro } = explained(nothing, { context: unattributed });
    expect(en).not.toContain('without a source');
    expect(ro).not.toContain('nicio sursă');
    const something = calm({ claims: ran(undecided) });
    expect(explained(something, { context: unattributed }).explanation_en).toContain('without a source');
  });

  it('claims no certainty about a machine', () => {
    const traced = aiBlock(100, {
      verdict: 'strong_evidence',
      indicators_detected: [indicator('llm_residue', 'conclusive')],
    });
    const { explanation_en: en, explanation_ro: ro } = explained(calm({ ai_tampered: ran(traced) }));
    expect(en).toContain('(probability above 99%)');
    expect(ro).toContain('(probabilitate peste 99%)');
  });

  it('has no "above all" where it names every technique', () => {
    const { explanation_en: en, explanation_ro: ro } = explained(calm({ techniques: ran(loud) }));
    expect(en).toContain(
      '3 passages use the same persuasion technique: appeal to time (“before it is too late”).',
    );
    expect(ro).toContain('3 pasaje folosesc aceeași tehnică de persuasiune: apel la timp');
  });

  it('speaks of one passage as of one', () => {
    const { explanation_en: en, explanation_ro: ro } = explained(
      calm({ techniques: ran({ ...loud, techniques_count: 1 }) }),
    );
    expect(en).toContain('One passage uses a persuasion technique: appeal to time');
    expect(ro).toContain('Un pasaj folosește o tehnică de persuasiune: apel la timp');
  });

  it('does not explain a name in brackets where the passage follows in brackets', () => {
    const named = {
      ...technique('and you?'),
      name_en: 'Whataboutism (“and the others?”)',
      name_ro: 'Whataboutism („dar ceilalți?”)',
    };
    const block = techniquesBlock(92, { techniques_count: 1, techniques_detected: [named] });
    const { explanation_en: en, explanation_ro: ro } = explained(calm({ techniques: ran(block) }));
    expect(en).toContain('whataboutism (“and you?”)');
    expect(ro).toContain('whataboutism („and you?”)');
  });

  it('is not silent about a satire label that changed no number', () => {
    const genre = { code: 'satire', confidence: 0.95, labelled: true };
    const { explanation_en: en, explanation_ro: ro } = explained(calm(), {
      context: { ...noContext, genre },
    });
    expect(en).toContain('The content is labelled satire in its own context.');
    expect(ro).toContain('Materialul este etichetat ca satiră în propriul context.');
  });

  it('is not silent about a text that calls itself satire, which nobody vouches for', () => {
    const read = (confidence: number) =>
      explained(calm(), {
        context: {
          ...noContext,
          summary: { genre: { code: 'satire', confidence, labelled: false, stated: true } },
        },
      });
    expect(read(0.95).explanation_en).toContain('The text calls itself satire; nobody vouches for that.');
    expect(read(0.95).explanation_ro).toContain(
      'Textul se declară satiră; nimeni nu garantează acest lucru.',
    );
    // An article about satire has its words, too.
    expect(read(0.7).explanation_en).not.toContain('satire');
  });

  it('does not speak for a text that a model alone takes for satire', () => {
    const genre = { code: 'satire', confidence: 0.95, labelled: false };
    const { explanation_en } = explained(calm(), { context: { ...noContext, summary: { genre } } });
    expect(explanation_en).not.toContain('satire');
  });

  it('has found something where it names something', () => {
    const named = calm({ techniques: ran(techniquesBlock(10, { ...loud, manipulation_score: 10 })) });
    const { explanation_en: en, explanation_ro: ro, risk } = explained(named);
    expect(risk).toBeLessThan(20);
    expect(en).toContain('appeal to time');
    expect(en).not.toContain('nothing that should worry');
    expect(en).toContain('The checks that ran found nothing decisive. This is not a certificate of truth.');
    expect(ro).toContain(
      'Verificările efectuate nu au găsit nimic hotărâtor. Aceasta nu este o certificare a adevărului.',
    );
    expect(explained(calm()).explanation_en).toContain('nothing that should worry');
  });

  it.each<[string, readonly ClaimItem[], string, string]>([
    ['every claim held', [held(), held()], 'nothing that should worry a reader', 'nimic îngrijorător'],
    ['no claim was found', [], 'nothing that should worry a reader', 'nimic îngrijorător'],
    [
      'what it claims is only denied',
      [open({ voice: 'denied' })],
      'nothing that should worry a reader',
      'nimic îngrijorător',
    ],
    [
      'a claim is open',
      [open()],
      'found nothing against it, but what it claims was not confirmed either.',
      'nu au găsit nimic împotriva acestui conținut, dar nici nu au confirmat ceea ce afirmă.',
    ],
    [
      'a claim is open and another held',
      [held(), open()],
      'found nothing against it, but did not confirm all that it claims.',
      'nu au găsit nimic împotriva acestui conținut, dar nu au confirmat tot ceea ce afirmă.',
    ],
  ])('calms a reader as far as claims were confirmed: %s', (_name, items, english, romanian) => {
    const { explanation_en: en, explanation_ro: ro } = explained(
      calm({ claims: ran(claimsBlock(null, [...items])) }),
    );
    expect(en).toContain(english);
    expect(ro).toContain(romanian);
    for (const other of ['should worry', 'was not confirmed either', 'not confirm all'])
      if (!english.includes(other)) expect(en).not.toContain(other);
  });

  it('does not say beside a lure that nothing was found in the wording', () => {
    const scam = {
      code: 'prize',
      name_en: 'prize lure',
      name_ro: 'momeală cu premiu',
      advice_en: 'Do not pay.',
      advice_ro: 'Nu plătiți.',
      confidence: 0.9,
      spans: [{ start: 0, end: 3, start_utf16: 0, end_utf16: 3, quote: 'You won' }],
    };
    const { explanation_en: en, explanation_ro: ro } = explained(calm(), {
      context: { ...noContext, summary: { scam } },
    });
    expect(en).toContain('prize lure');
    expect(en).not.toContain('No persuasion techniques');
    expect(ro).not.toContain('nicio tehnică');
    expect(explained(calm()).explanation_en).toContain('No persuasion techniques');
  });

  it('says once that AI was disclosed', () => {
    const disclosed = aiBlock(96, { verdict: 'disclosed_ai', disclosure_explicit: true });
    const { explanation_en: en } = explained(calm({ ai_tampered: ran(disclosed) }), { media: 'text' });
    expect(en.toLowerCase().split('the use of ai is openly disclosed').length - 1).toBe(1);
  });
});

describe('what nobody checked', () => {
  const stated = (text: string, over: Partial<ClaimItem> = {}) =>
    claim('unverified', 0, {
      text,
      span: { start: 0, end: 1, start_utf16: 0, end_utf16: 1, quote: text },
      ...over,
    });
  const said = (item: ClaimItem, topic = 'other', topics: unknown = [], by: unknown = undefined) =>
    explained(calm({ claims: ran(claimsBlock(null, [item])) }), {
      context: { ...noContext, summary: { topic, topics, topics_by: by } },
      media: 'text',
    });

  it.each([
    ['Salt water takes the vaccine out of the body.', 'ask a doctor', 'întrebați medicul'],
    ['The ballots of nine polling stations were burnt.', 'the electoral authority', 'autorității electorale'],
    ['Missiles hit the front line on Monday.', 'two news agencies', 'două agenții de presă'],
    [
      'The central bank will freeze all savings.',
      'ask the financial supervisor before you pay or invest',
      'autoritatea de supraveghere financiară',
    ],
    [
      'The council raised its budget and its taxes by a tenth.',
      'compare it with the official figures.',
      'comparați cu datele oficiale.',
    ],
    ['An amber warning of gusts is in force on the coast.', 'emergency services', 'serviciilor de urgență'],
    ['Este cod portocaliu de viscol în șase județe.', 'emergency services', 'serviciilor de urgență'],
  ])('is named with the claim, and how to check it: %s', (text, en, ro) => {
    const { explanation_en, explanation_ro } = said(stated(text));
    expect(explanation_en).toContain(`was not checked (“${text.slice(0, -1)}”): `);
    expect(explanation_en).toContain(en);
    expect(explanation_en).not.toContain('nothing that should worry');
    expect(explanation_ro).toContain(`nu a fost verificat („${text.slice(0, -1)}”): `);
    expect(explanation_ro).toContain(ro);
    expect(explanation_ro).not.toContain('nimic îngrijorător');
  });

  it('is told as looked up in vain where it was looked up and nothing was found', () => {
    const text = 'Salt water takes the vaccine out of the body.';
    const { explanation_en: en, explanation_ro: ro } = said(stated(text, { searched: true }));
    expect(en).toContain('1 claim was found; it was looked up, and nothing was found about it.');
    expect(en).toContain('was looked up, and nothing was found (“Salt water');
    expect(en).not.toMatch(/was not checked|evidence at hand|not looked up/);
    expect(ro).toContain(
      'S-a găsit o afirmație; a fost căutată în alte surse, dar nu s-a găsit nimic despre ea.',
    );
    expect(ro).toContain('a fost căutat în alte surse, dar nu s-a găsit nimic („Salt water');
    expect(ro).not.toMatch(/nu a fost verificat|dovezile disponibile/);
  });

  it('goes by the claim and not by a word elsewhere in the text', () => {
    const { explanation_en: en } = said(stated('The bridge is forty metres long.'));
    expect(en).not.toContain('was not checked (');
    expect(said(stated('The water company closes the main on Thursday.')).explanation_en).not.toContain(
      'money',
    );
    const about = (terms: number) => [{ code: 'public_health', share: 0.8, terms, sensitive: true }];
    const bare = stated('It works within a week.');
    expect(said(bare, 'public_health', about(4)).explanation_en).toContain('ask a doctor');
    expect(said(bare, 'public_health', about(1)).explanation_en).not.toContain('ask a doctor');
    const likely = (share: number) => [{ code: 'public_health', share, terms: 0, sensitive: true }];
    expect(said(bare, 'public_health', likely(0.36), 'model').explanation_en).toContain('ask a doctor');
    expect(said(bare, 'other', likely(0.3), 'model').explanation_en).not.toContain('ask a doctor');
    expect(said(bare, 'public_health', likely(0.5), 'words').explanation_en).not.toContain('ask a doctor');
    const money = [{ code: 'economy_banking', share: 1, terms: 9, sensitive: true }];
    expect(said(bare, 'economy_banking', money).explanation_en).not.toContain('about money');
    const currency = stated('Leul va fi anulat vineri, la ora 18.');
    expect(said(currency, 'economy_banking', money).explanation_en).toContain('before you pay or invest');
  });

  it.each([
    ['The sale of the forests left the hills open to landslides.', 'politics', 'disaster_emergency'],
    ['I have voted in every election since I was eighteen.', 'elections', 'elections'],
    ['My grandfather voted in every election of his life.', 'elections', 'elections'],
    ['Human rights groups condemned the arrests that followed the election.', 'elections', 'elections'],
    ['Human rights groups condemned the new law.', 'elections', 'elections'],
    [
      'The new tram line costs 40 million euros, and a company from the city builds it.',
      'local_affairs',
      'economy_banking',
    ],
  ])('gives no advice by one word: %s', (text, topic, code) => {
    const topics = [
      { code: topic, share: 0.7, terms: 6, sensitive: false },
      { code, share: topic === code ? 0.7 : 0.3, terms: topic === code ? 6 : 1, sensitive: true },
    ];
    const { explanation_en: en } = said(stated(text), topic, topics);
    expect(en).not.toMatch(/What it says about/);
  });

  it.each([
    ['He took credit for the bridge, which does him no credit.', 'economy_banking', 'before you pay'],
    [
      'The mayor fires the whole emergency committee of the museum.',
      'disaster_emergency',
      'emergency services',
    ],
    ['The council declares war on noise and on the army of gulls.', 'war_security', 'news agencies'],
    ['The senate voted 34 to 31 on the ballot of its president.', 'elections', 'electoral authority'],
  ])('gives none on a topic of which the model gives the text hardly a chance: %s', (text, code, advice) => {
    const politics = { code: 'politics', share: 0.8, terms: 5, sensitive: false };
    const adviceAmong = (...topics: unknown[]) =>
      said(stated(text), 'politics', topics, 'model').explanation_en;
    expect(adviceAmong(politics)).not.toContain(advice);
    expect(adviceAmong(politics, { code, share: 0.06, terms: 3, sensitive: true })).toContain(advice);
  });

  it.each([
    ['Three million votes were counted twice in the election.', 'electoral authority'],
    ['The election was postponed for a year.', 'electoral authority'],
    ['Sistemul ticăloșit v-a furat votul.', 'electoral authority'],
    ['The candidates bought votes in nine villages.', 'electoral authority'],
    ['Alegerile au fost furate prin voturi false.', 'electoral authority'],
    ['Floods and landslides cut off nine villages.', 'emergency services'],
  ])('gives it by what the claim says: %s', (text, advice) => {
    const topics = [{ code: 'politics', share: 1, terms: 5, sensitive: false }];
    expect(said(stated(text), 'politics', topics).explanation_en).toContain(advice);
  });

  it('sends nobody to a list of evidence that is empty', () => {
    const bare = calm({
      techniques: ran(techniquesBlock(80)),
      claims: ran(claimsBlock(null, [])),
      domain: skipped,
    });
    const { explanation_en: en, explanation_ro: ro, risk } = explained(bare, { media: 'text' });
    expect(risk).toBeGreaterThanOrEqual(40);
    expect(en).toContain('Look at the highlighted passages before you pass it on.');
    expect(ro).toContain('Citiți cu atenție pasajele evidențiate înainte de a distribui.');
  });

  it('is no question and no denial of the text, and nothing that was decided', () => {
    const text = 'Salt water takes the vaccine out of the body.';
    for (const item of [
      stated(text, { voice: 'asked' }),
      stated(text, { voice: 'denied' }),
      stated(text, { status: 'opinion' }),
      stated(text, { status: 'verified_true' }),
    ])
      expect(said(item).explanation_en).not.toContain('was not checked (');
  });
});
