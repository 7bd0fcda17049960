import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showsFalsity } from '../../../../../src/services/analysis/pipeline/explain/facts.ts';
import { excerpt } from '../../../../../src/services/analysis/pipeline/explain/phrasing.ts';
import { countOf } from '../../../../../src/services/analysis/pipeline/explain/romanian.ts';
import { computeVerdict } from '../../../../../src/services/analysis/pipeline/verdict/judge.ts';
import type { MediaType } from '../../../../../src/services/analysis/resources/media-types.ts';
import type { TechniquesResult } from '../../../../../src/services/analysis/resources/techniques-result.ts';
import {
  profileOf,
  shippedVerdictRules,
} from '../../../../../src/services/analysis/resources/verdict-rules.ts';
import type { Outcomes } from '../../../../../src/services/analysis/session/outcome.ts';
import { runs } from '../../../../campaign.ts';
import {
  aiBlock,
  calm,
  claim,
  claimsBlock,
  domainBlock,
  indicator,
  lost,
  ran,
  skipped,
  techniquesBlock,
  usualFacts,
} from '../blocks.ts';
import { explained, loud, noContext, technique, undecided } from './explained.ts';

/** The same findings, which are listed and count for nothing. */
const listedOnly = techniquesBlock(0, {
  techniques_count: 1,
  techniques_detected: [technique('before it is too late')].map((item) => ({
    ...item,
    spans: item.spans.map((span) => ({ ...span, weight: 0 })),
  })),
});

describe('explanations', () => {
  it('give no reason that counts for nothing', () => {
    const { explanation_en: en, explanation_ro: ro } = explained(calm({ techniques: ran(listedOnly) }));
    expect(en).not.toContain('before it is too late');
    expect(en).toContain('In places the wording may persuade, too uncertainly to count.');
    expect(ro).toContain('Pe alocuri, formularea poate urmări să convingă, dar prea nesigur ca să conteze.');
    const both = [...loud.techniques_detected, ...listedOnly.techniques_detected];
    const mixed = { ...loud, techniques_count: 4, techniques_detected: both };
    expect(explained(calm({ techniques: ran(mixed) }))).toEqual(explained(calm({ techniques: ran(loud) })));
  });

  it('say in one sentence that no passage, but the text as a whole, presses', () => {
    const diffuse_evidence = {
      weight: 0.6,
      sentences: 0,
      quotes: [
        { start: 0, end: 1, start_utf16: 0, end_utf16: 1, probability: 0.7, quote: 'They laugh at us.' },
      ],
    };
    const read = (block: TechniquesResult) => explained(calm({ techniques: ran(block) }));
    const quiet = read(techniquesBlock(30, { diffuse_evidence }));
    expect(quiet.explanation_en).toContain(
      'No single passage shows a named technique, but as a whole the text reads like those that press or mislead, most of all here: “They laugh at us”.',
    );
    expect(quiet.explanation_en).not.toContain('No persuasion techniques');
    expect(quiet.explanation_ro).toContain(
      'Niciun pasaj luat separat nu arată o tehnică anume, dar, luat în ansamblu, textul seamănă cu cele care fac presiuni asupra cititorului sau îl induc în eroare, mai ales aici: „They laugh at us”.',
    );
    const leaning = { ...diffuse_evidence, sentences: 0.4 };
    const spread = read(techniquesBlock(30, { diffuse_evidence: leaning }));
    expect(spread.explanation_en).toContain(
      'No single passage shows a named technique, but 40% of the sentences lean to one side',
    );
    expect(spread.explanation_en + spread.explanation_ro).not.toMatch(/Beyond that|Pe lângă aceasta/);
    const beside = read({ ...loud, diffuse_evidence: leaning });
    expect(beside.explanation_en).toMatch(/3 passages use .*\. Beyond that, 40% of its sentences/);
    const uncertain = read({ ...listedOnly, diffuse_evidence });
    expect(uncertain.explanation_en).toContain(
      'No single passage shows a technique surely enough to count, but as a whole the text reads like',
    );
    expect(uncertain.explanation_en).not.toContain('In places');
  });

  it('name category, score and confidence of the record in both languages', () => {
    const { explanation_en: en, explanation_ro: ro, risk } = explained(calm());
    expect(risk).toBe(8.3);
    expect(en).toContain('No significant risk found: the risk score is 8.3 of 100 (confidence 9');
    expect(ro).toContain('Fără risc semnificativ: scorul de risc este 8,3 din 100 (încredere 9');
    expect(en).toContain('not a certificate of truth');
  });

  it('say that wording in another language was not judged, and judge nothing by the rest', () => {
    const outcomes = calm({
      techniques: ran(techniquesBlock(null)),
      ai_tampered: ran(aiBlock(null, { verdict: 'inconclusive' })),
      claims: ran(undecided),
      domain: skipped,
    });
    const { explanation_en: en, explanation_ro: ro } = explained(outcomes, {
      facts: { ...usualFacts, language: 'fr' },
    });
    expect(en).toContain('The result is inconclusive');
    expect(en).toContain('The wording was not judged');
    expect(ro).toContain('Formulările nu au fost evaluate');
    expect(en).not.toContain('No persuasion techniques');
  });

  it('quote the strongest technique and what context rules saw', () => {
    const context = {
      ...noContext,
      summary: {
        rules: [
          {
            rule: 'share_call',
            value: 1,
            points: 18,
            spans: [{ start: 0, end: 1, start_utf16: 0, end_utf16: 1, quote: 'share this' }],
            text_en: 'The text asks to be passed on.',
            text_ro: 'Textul cere să fie dat mai departe.',
          },
        ],
      },
    };
    const outcomes = calm({ techniques: ran(loud), claims: ran(undecided), domain: skipped });
    const { explanation_en: en, explanation_ro: ro } = explained(outcomes, { context });
    expect(en).toContain('appeal to time (“before it is too late”)');
    expect(ro).toContain('apel la timp („before it is too late”)');
    expect(en).toContain('The text asks to be passed on (“share this”).');
    expect(ro).toContain('Textul cere să fie dat mai departe („share this”).');
  });

  it('say of claims that nothing was looked up, when nothing was', () => {
    const unsearched = claimsBlock(null, [claim('unverified', 0), claim('unverified', 0)]);
    const { explanation_en: en, explanation_ro: ro } = explained(calm({ claims: ran(unsearched) }));
    expect(en).toContain('2 claims were found; they were not looked up in other sources.');
    expect(ro).toContain('S-au găsit 2 afirmații, care nu au fost căutate în alte surse.');
  });

  it('tell claims that were looked up in vain from those that were not looked up', () => {
    const bare = claim('unverified', 0);
    const vain = claim('unverified', 0, { searched: true });
    const open = claim('unverified', 2, { searched: true });
    const all = explained(calm({ claims: ran(claimsBlock(null, [vain, vain])) }));
    expect(all.explanation_en).toContain(
      '2 claims were found; they were looked up, and nothing was found about them.',
    );
    expect(all.explanation_ro).toContain(
      'S-au găsit 2 afirmații; au fost căutate în alte surse, dar nu s-a găsit nimic despre ele.',
    );
    const mixed = explained(calm({ claims: ran(claimsBlock(null, [bare, vain, open, open])) }));
    expect(mixed.explanation_en).toContain(
      '4 claims were found: 2 are neither confirmed nor refuted by the evidence at hand, nothing was found about 1 and 1 was not looked up.',
    );
    expect(mixed.explanation_ro).toContain(
      'S-au găsit 4 afirmații: 2 nu sunt nici confirmate, nici infirmate de dovezile disponibile, despre una nu s-a găsit nimic și una nu a fost căutată în alte surse.',
    );
  });

  it('tell readers, not moderators, what to do with what is to be reviewed', () => {
    const refuted = Array.from({ length: 3 }, () => claim('verified_false', 3));
    const {
      explanation_en: en,
      explanation_ro: ro,
      risk,
    } = explained(calm({ claims: ran(claimsBlock(5, refuted)) }));
    expect(risk).toBeGreaterThanOrEqual(60);
    expect(en).toContain('Do not pass it on as it is: a person should review it first.');
    expect(en).not.toContain('moderation queue');
    expect(ro).toContain('Nu îl dați mai departe așa cum este: trebuie verificat mai întâi de o persoană.');
  });

  it('never say false on wording alone', () => {
    const ai_tampered = ran(aiBlock(null));
    const outcomes = calm({ techniques: ran(loud), claims: ran(undecided), domain: skipped, ai_tampered });
    const { explanation_en: en, explanation_ro: ro } = explained(outcomes, { media: 'text' });
    expect(
      en.replaceAll('nothing that was found shows that the content is false or fabricated', ''),
    ).not.toMatch(/\bfalse|fake|misleading|did not hold/i);
    // That there is no sign of tampering is not said of the wording.
    const spoken = ro.replaceAll('nimic din ce s-a găsit nu arată că materialul este fals sau fabricat', '');
    expect(spoken.replaceAll('semne de generare cu IA sau de falsificare', '')).not.toMatch(
      /fals|înșelător|nu se sus/i,
    );
  });

  it.each([
    [
      [],
      'No claim was found that could be checked.',
      'Nu s-a găsit nicio afirmație care să poată fi verificată.',
    ],
    [['opinion'], 'It holds opinions, but no claim', 'conține opinii, dar nicio afirmație'],
    [['unverified'], '1 claim was found, but the evidence', 'S-a găsit o afirmație, dar dovezile'],
    [
      ['verified_false'],
      'The one claim that was found did not hold (“text”).',
      'Singura afirmație găsită nu se susține („text”).',
    ],
    [['verified_true', 'verified_true'], 'All 2 claims held.', 'Toate cele 2 afirmații s-au confirmat.'],
    [
      ['verified_false', 'verified_false'],
      'None of the 2 claims held',
      'Niciuna dintre cele 2 afirmații nu se susține',
    ],
    [
      ['verified_false', 'verified_true', 'unverified', 'opinion', 'partly_true'],
      'Of 5 claims, 1 did not hold (“text”), 1 held, 1 held in part, 1 could not be decided and 1 is an opinion.',
      'Din 5 afirmații, una nu se susține („text”), una s-a confirmat, una s-a confirmat în parte, una nu a putut fi lămurită și una este o opinie.',
    ],
  ])('say of claims %j what was found', (statuses, en, ro) => {
    const items = statuses.map((status) => claim(status, 2));
    const unverified = statuses.filter(
      (status) => status === 'unverified' || status === 'partly_true',
    ).length;
    const block = claimsBlock(statuses.length > 1 ? 50 : null, items, { unverified });
    const said = explained(calm({ claims: ran(block) }));
    expect(said.explanation_en).toContain(en);
    expect(said.explanation_ro).toContain(ro);
  });

  it('name what could not be checked', () => {
    const said = explained(calm({ claims: lost, domain: lost }));
    expect(said.explanation_en).toContain(
      'Not checked, because the service for it gave no answer: the claims and the source.',
    );
    expect(said.explanation_ro).toContain(
      'Nu s-au verificat, pentru că serviciul nu a răspuns: afirmațiile și sursa.',
    );
  });

  it('give the reason of an override with both numbers', () => {
    const listed = domainBlock(12, {
      is_blacklisted: true,
      lists: [{ list: 'Example list', label: 'fake', harmful: true, updated_at: '2025-01-01' }],
    });
    const said = explained(calm({ domain: ran(listed), claims: ran(claimsBlock(null)) }));
    expect(said.explanation_en).toMatch(
      /raised from \d+\.\d to 60\.0: the source is on a maintained blacklist/,
    );
    expect(said.explanation_ro).toMatch(
      /ridicat de la \d+,\d la 60,0: sursa figurează pe o listă neagră ținută la zi/,
    );
    expect(said.explanation_en).toContain('Example list lists news.example among unreliable sources.');
    expect(said.explanation_ro).toContain(
      'Sursa news.example figurează pe lista surselor nesigure a Example list.',
    );
    const twice = domainBlock(12, {
      lists: ['One', 'Two', 'Two'].map((list) => ({ list, label: 'fake', harmful: true, updated_at: null })),
    });
    const both = explained(calm({ domain: ran(twice) }));
    expect(both.explanation_en).toContain('One and Two list news.example among unreliable sources.');
    expect(both.explanation_ro).toContain(
      'Sursa news.example figurează pe liste de surse nesigure: One și Two.',
    );
  });

  it('say of a picture in which nothing was found what that means', () => {
    const picture = aiBlock(19, { verdict: 'inconclusive', content_type: 'image', evidence_grade: 'D' });
    const said = explained(calm({ ai_tampered: ran(picture) }), { media: 'image' });
    expect(said.explanation_en).toContain('that does not show that it is genuine');
    expect(said.explanation_ro).toContain('aceasta nu arată că este autentică');
  });

  it.each([
    [
      'strong_evidence',
      'strong evidence of AI generation or tampering (probability 92%): a trace',
      'dovezi puternice',
    ],
    ['likely_ai_or_tampered', 'probably AI-generated', 'probabil generat cu IA'],
    ['disclosed_ai', 'openly disclosed', 'declarată deschis'],
    ['authenticated_capture', 'authentic capture', 'semnate și de încredere arată o înregistrare autentică'],
    ['no_ai_or_tampering_found', 'No sign of AI', 'Nu s-au găsit semne'],
  ])('say %s in words', (verdict, en, ro) => {
    const indicators_detected = [indicator('image_provenance', 'strong')];
    const block = aiBlock(92, { verdict, indicators_detected });
    const said = explained(calm({ ai_tampered: ran(block), claims: skipped }), { media: 'image' });
    expect(said.explanation_en).toContain(en);
    expect(said.explanation_ro).toContain(ro);
  });

  it('says once that an article takes sides', () => {
    const line = { rule: 'one_sided_article', value: 1, points: 12, spans: [] };
    const sentence = { text_en: 'The article takes sides.', text_ro: 'Articolul este părtinitor.' };
    const summary = { rules: [{ ...line, ...sentence }] };
    const by = (one_sided: number) =>
      explained(calm(), {
        context: { score: 5, quality: 1, genre: null, article: { one_sided, clickbait: null }, summary },
      }).explanation_en;
    expect(by(0.7)).toContain('The article takes sides');
    expect(by(0.9)).toContain('as a whole the article reads like those that take sides');
    expect(by(0.9)).not.toContain('The article takes sides');
  });

  it('exist when nothing could be scored', () => {
    const outcomes: Outcomes = { techniques: skipped, claims: lost, ai_tampered: lost, domain: skipped };
    const context = { score: null, quality: 0, genre: null, article: null, summary: {} };
    const said = explained(outcomes, { context });
    expect(said.explanation_en).toMatch(/^There is no risk score/);
    expect(said.explanation_ro).toMatch(/^Nu există un scor de risc: .* nu a putut stabili nimic/);
  });

  it('are short, whole sentences with comma-below letters in every case', () => {
    const pick = <T>(...values: T[]) => fc.constantFrom(...values);
    const all: fc.Arbitrary<Outcomes> = fc.record({
      techniques: pick<Outcomes['techniques']>(ran(loud), ran(techniquesBlock(0)), lost, skipped),
      claims: pick<Outcomes['claims']>(
        ran(undecided),
        ran(claimsBlock(12, [claim('verified_false', 2), claim('verified_false', 3)])),
        lost,
        skipped,
      ),
      ai_tampered: pick<Outcomes['ai_tampered']>(
        ran(
          aiBlock(95, {
            verdict: 'strong_evidence',
            indicators_detected: [indicator('image_provenance', 'conclusive')],
          }),
        ),
        ran(aiBlock(null)),
        lost,
        skipped,
      ),
      domain: pick<Outcomes['domain']>(
        ran(domainBlock(95)),
        ran(domainBlock(null, { domain: null })),
        lost,
        skipped,
      ),
    });
    fc.assert(
      fc.property(all, pick<MediaType>('text', 'url', 'image'), (outcomes, media) => {
        const said = explained(outcomes, { media });
        for (const text of [said.explanation_en, said.explanation_ro]) {
          expect(text).toMatch(/^\p{Lu}.*\.$/u);
          expect(text).not.toMatch(/undefined|null|NaN| {2}|[şţŞŢ]| \.|\.\./);
          expect([...text].length).toBeLessThan(1200);
          const sentences = text.match(/\.(?:\s|$)/g)?.length ?? 0;
          expect(sentences).toBeGreaterThanOrEqual(2);
          expect(sentences).toBeLessThanOrEqual(7);
        }
      }),
      { numRuns: runs(400) },
    );
  });
});

describe('wording', () => {
  it.each([
    [1, 'o afirmație'],
    [2, '2 afirmații'],
    [19, '19 afirmații'],
    [20, '20 de afirmații'],
    [100, '100 de afirmații'],
    [101, '101 afirmații'],
    [119, '119 afirmații'],
    [120, '120 de afirmații'],
  ])('counts %d in Romanian', (count, text) => expect(countOf(count, 'o afirmație', 'afirmații')).toBe(text));

  it('cuts long quotes at a word and never splits a character', () => {
    expect(excerpt('short\n quote')).toBe('short quote');
    expect(excerpt('A whole sentence of the paper.')).toBe('A whole sentence of the paper');
    expect(excerpt('And then ...')).toBe('And then ...');
    const long = excerpt('😀 word '.repeat(40));
    expect(long.endsWith('…')).toBe(true);
    expect([...long].length).toBeLessThanOrEqual(91);
    expect('😀 word '.repeat(40)).toContain(long.slice(0, -1));
  });

  it('knows when the record shows that something is false', () => {
    const refuted = calm({ claims: ran(claimsBlock(0, [claim('verified_false', 2)])) });
    const show = (outcomes: Outcomes, facts = usualFacts) =>
      showsFalsity({
        rules: shippedVerdictRules,
        judgement: computeVerdict(
          outcomes,
          noContext,
          { rules: shippedVerdictRules, profile: profileOf(shippedVerdictRules, 'text') },
          facts,
        ),
        outcomes,
      });
    expect(show(refuted)).toBe(true);
    expect(show(calm())).toBe(false);
    expect(show(calm(), { ...usualFacts, known_false_match: { similarity: 0.97, entails: true } })).toBe(
      true,
    );
  });

  it('has a sentence for every recommended action', () => {
    for (const action of shippedVerdictRules.recommended_actions) {
      expect(action.text_en).toMatch(/\.$/);
      expect(action.text_ro).toMatch(/\.$/);
    }
  });
});
