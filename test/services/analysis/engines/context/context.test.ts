import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import ruleData from '../../../../../data/context/rules.json' with { type: 'json' };
import topicData from '../../../../../data/context/topics.json' with { type: 'json' };
import {
  type ContextResult,
  contextOf,
} from '../../../../../src/services/analysis/engines/context/context.ts';
import {
  type ContextInput,
  parseText,
} from '../../../../../src/services/analysis/engines/context/parsed-text.ts';
import { shippedVerdictRules } from '../../../../../src/services/analysis/resources/verdict-rules.ts';
import { runs } from '../../../../campaign.ts';
import { POSTS, TEXTS } from './texts.ts';

type TextName = keyof typeof TEXTS;

function contextFor(
  text: string,
  over: Partial<ContextInput> = {},
  article?: Parameters<typeof contextOf>[2],
): ContextResult {
  return contextOf(
    parseText({ text, title: null, language: 'en', flags: [], satirical_source: false, ...over }),
    shippedVerdictRules.sensitive_topics,
    article,
  );
}

function named(name: TextName): ContextResult {
  return contextFor(TEXTS[name], { language: name.includes('Ro') ? 'ro' : 'en' });
}

function pointsOf(result: ContextResult, rule: string): number {
  return result.rules.find((line) => line.rule === rule)?.points ?? -1;
}

describe('context score', () => {
  it.each<[TextName, number]>([
    ['calmNewsEn', 15],
    ['calmNewsRo', 15],
    ['healthRo', 15],
    ['warRo', 15],
    ['electionsEn', 15],
    ['economyRo', 15],
    ['sportEn', 15],
    ['aboutSatireEn', 15],
    ['recipeEn', 15],
    ['recipeRo', 15],
    ['scienceEn', 15],
    ['pressReleaseEn', 15],
    ['opinionEn', 15],
    ['opinionRo', 15],
    ['advertEn', 25],
    ['advertRo', 25],
  ])('%s stays at %d or less', (name, most) => expect(named(name).score).toBeLessThanOrEqual(most));

  it.each<TextName>(['chainLetterEn', 'chainLetterRo', 'chainLetterRoPlain'])('%s reaches 60', (name) =>
    expect(named(name).score).toBeGreaterThanOrEqual(60),
  );

  it.each(POSTS)('of the $kind post "$text" is where it should be', ({ language, kind, text }) => {
    const { score } = contextFor(text, { language });
    if (kind === 'chain') expect(score).toBeGreaterThanOrEqual(60);
    else expect(score).toBeLessThanOrEqual(15);
  });

  it('is the sum of the points of its lines', () => {
    for (const name of Object.keys(TEXTS) as TextName[]) {
      const { score, rules } = named(name);
      const sum = rules.reduce((total, line) => total + line.points, 0);
      expect(score).toBeCloseTo(Math.min(100, sum), 6);
      expect(rules.map((line) => line.rule)).toEqual(ruleData.rules.map((row) => row.code));
    }
  });

  it('measures fewer rules where there is no headline', () => {
    expect(named('calmNewsEn').quality).toBe(1);
    expect(named('opinionEn').quality).toBeCloseTo(9 / 12, 9);
  });
});

describe('what models say of a whole article', () => {
  const read = (article?: Parameters<typeof contextOf>[2]) => contextFor(TEXTS.calmNewsEn, {}, article);

  it('gives points above an even chance, and names the chance', () => {
    const result = read({ one_sided: 0.95, clickbait: 0.9 });
    expect(pointsOf(result, 'one_sided_article')).toBe(12);
    expect(pointsOf(result, 'clickbait_headline')).toBeCloseTo(14 * 0.4, 1);
    expect(result.summary.article).toEqual({ one_sided: 0.95, clickbait: 0.9 });
  });

  it('gives none at an even chance or below, and none where it cannot be told', () => {
    expect(pointsOf(read({ one_sided: 0.5, clickbait: 0.3 }), 'one_sided_article')).toBe(0);
    expect(pointsOf(read({ one_sided: 0.5, clickbait: 0.3 }), 'clickbait_headline')).toBe(0);
    const nothing = read();
    expect(nothing.rules.find((line) => line.rule === 'one_sided_article')?.value).toBeNull();
  });
});

describe('shouting', () => {
  it.each([
    ['The members of NATO and the EU met in Vilnius on Monday, and UNICEF sent an observer.', 0],
    ['STOP THE PLAN NOW, the sign said. Nobody on the square had seen the plan yet.', 4],
    ['THEY ARE TAKING EVERYTHING FROM US AND NOBODY DOES ANYTHING ABOUT IT SO LISTEN TO ME NOW FOLKS', 12],
  ])('in "%s" gives %d points', (text, points) =>
    expect(pointsOf(contextFor(text), 'shouting')).toBe(points),
  );
});

describe('headline', () => {
  const body = TEXTS.calmNewsEn.slice(TEXTS.calmNewsEn.indexOf('\n')).trim();

  it('that the body never takes up costs points and names the words', () => {
    const result = contextFor(`Celebrity chef reveals miracle garlic diet secrets\n\n${body}`);
    expect(pointsOf(result, 'headline_not_in_body')).toBe(14);
    const line = result.rules.find((row) => row.rule === 'headline_not_in_body');
    expect(line?.spans.map((span) => span.quote)).toContain('garlic');
    expect(pointsOf(contextFor(TEXTS.calmNewsEn), 'headline_not_in_body')).toBe(0);
  });

  it.each([
    ["You won't believe what happened next at the city council", 14],
    ['City council approves new tram line to the university', 0],
  ])('%s gives %d points for clickbait', (headline, points) =>
    expect(pointsOf(contextFor(`${headline}\n\n${body}`), 'clickbait_headline')).toBe(points),
  );

  it.each([
    ['Nu o să vă vină să credeți ce a urmat după ședința consiliului', 14],
    ['Consiliul local a aprobat o nouă linie de tramvai', 0],
  ])('%s gives %d points for clickbait', (headline, points) => {
    const text = `${headline}\n\n${TEXTS.calmNewsRo.slice(TEXTS.calmNewsRo.indexOf('\n')).trim()}`;
    expect(pointsOf(contextFor(text, { language: 'ro' }), 'clickbait_headline')).toBe(points);
  });

  it('of the page counts too, without spans when the text does not hold it', () => {
    const result = contextFor(body, { title: "You won't believe what happened next" });
    const line = result.rules.find((row) => row.rule === 'clickbait_headline');
    expect(line).toMatchObject({ points: 14, spans: [] });
  });
});

describe('urgency', () => {
  it.each([
    ['ro', 'Ședința de mâine a consiliului va fi transmisă pe internet, a anunțat primarul.', 0],
    ['ro', 'Citiți cu atenție acest prospect înainte de a începe să luați medicamentul.', 3.3],
    ['en', 'Trains will run on the new line from tomorrow, the railway company said.', 3.3],
    ['ro', 'Contul dumneavoastră bancar va fi blocat. Ofertă limitată pentru cei care plătesc.', 20],
    ['en', 'Your account will be suspended. Limited offer for those who pay the fee.', 20],
  ])('%s: %s', (language, text, points) =>
    expect(pointsOf(contextFor(text, { language }), 'urgency')).toBe(points),
  );
});

describe('topic', () => {
  it.each([
    [
      'ro',
      'E o rușine, a spus el, și toți cei din sală au simțit aceeași rușine, rușinea tuturor.',
      'war_security',
    ],
    [
      'en',
      'For example, write to press@firm.example; examples of both examples are in the annex.',
      'education',
    ],
    ['ro', 'Persoanele fizice și persoanele fizice autorizate depun cererea la ghișeu.', 'science'],
    [
      'en',
      'The costumes and the training of the trained trainees were praised in the costume review.',
      'local_affairs',
    ],
  ])('%s: words that only begin alike do not name one: %s', (language, text, code) =>
    expect(contextFor(text, { language }).topic.topics.map((topic) => topic.code)).not.toContain(code),
  );
});

describe('genre', () => {
  it.each<[TextName, string]>([
    ['calmNewsEn', 'news'],
    ['calmNewsRo', 'news'],
    ['chainLetterEn', 'social_post'],
    ['chainLetterRo', 'social_post'],
    ['chainLetterRoPlain', 'social_post'],
    ['opinionEn', 'opinion'],
    ['opinionRo', 'opinion'],
    ['satireEn', 'satire'],
    ['satireRo', 'satire'],
    ['aboutSatireEn', 'news'],
    ['advertEn', 'advertisement'],
    ['advertRo', 'advertisement'],
    ['recipeEn', 'recipe'],
    ['recipeRo', 'recipe'],
    ['scienceEn', 'science'],
    ['pressReleaseEn', 'press_release'],
  ])('of %s is %s', (name, genre) => expect(named(name).genre.code).toBe(genre));

  const plain = 'A man talks to the moon and the moon answers in verse. The council is not amused at all.';

  it.each<[string, string, Partial<ContextInput>]>([
    ['a note of the page', plain, { flags: ['satire'] }],
    ['a satirical source', plain, { satirical_source: true }],
  ])('%s is a label', (_, text, over) =>
    expect(contextFor(text, over).genre).toMatchObject({ code: 'satire', labelled: true }),
  );

  it.each<[string, string, Partial<ContextInput>]>([
    ['a title that begins with the label', plain, { title: 'Satire: man talks to the moon' }],
    ['a word with a full stop that begins the text', `SATIRE. ${plain}`, {}],
    [
      'a word with a full stop in the title',
      plain,
      { title: 'Satiră. Un om vorbește cu luna', language: 'ro' },
    ],
    ['a tag', `${plain} #satira`, { language: 'ro' }],
    ['a word in brackets', `[SATIRĂ] ${plain}`, { language: 'ro' }],
    ['a sentence at the end', `${plain} Acesta este un pamflet, tratați-l ca atare.`, { language: 'ro' }],
  ])('%s names the genre and is no label', (_, text, over) =>
    expect(contextFor(text, over).genre).toMatchObject({ code: 'satire', labelled: false }),
  );

  it.each([
    ['a sentence that begins with the word', `Satire is older than print. ${plain}`],
    ['a mention of satire', `${plain} He likes satire and parody of every kind.`],
    ['a label deep inside a long text', `${plain.repeat(8)} This article is satire. ${plain.repeat(8)}`],
  ])('%s is no label', (_, text) => expect(contextFor(text).genre.labelled).toBe(false));

  it('of too little text is other, without confidence', () =>
    expect(contextFor('Blue stones lie quietly under the water.').genre).toEqual({
      code: 'other',
      confidence: 0,
      labelled: false,
    }));
});

describe('topic', () => {
  it('has every sensitive topic of the taxonomy', () => {
    const known = topicData.topics.map((topic) => topic.code);
    for (const { code } of shippedVerdictRules.sensitive_topics) expect(known).toContain(code);
  });

  it.each<[TextName, string, boolean]>([
    ['calmNewsEn', 'local_affairs', false],
    ['calmNewsRo', 'local_affairs', false],
    ['chainLetterEn', 'public_health', true],
    ['chainLetterRo', 'public_health', true],
    ['chainLetterRoPlain', 'economy_banking', true],
    ['healthRo', 'public_health', true],
    ['electionsEn', 'elections', true],
    ['warRo', 'war_security', true],
    ['sportEn', 'sport', false],
    ['economyRo', 'economy_banking', true],
    ['aboutSatireEn', 'justice_corruption', true],
    ['recipeEn', 'lifestyle', false],
    ['recipeRo', 'lifestyle', false],
    ['scienceEn', 'science', false],
  ])('of %s is %s', (name, code, sensitive) => expect(named(name).topic).toMatchObject({ code, sensitive }));

  it.each([
    [
      'Refugees and migrants waited at the border crossing while asylum officers checked their papers.',
      'migration_minorities',
    ],
    [
      'Wildfires forced thousands to leave; firefighters and rescuers evacuated two villages.',
      'disaster_emergency',
    ],
    ['The kindergarten asked parents about child protection and bullying among schoolchildren.', 'children'],
    [
      'Solar panels and wind farms now produce more electricity than coal, cutting emissions.',
      'energy_climate',
    ],
    [
      'The European Commission and the foreign ministers discussed sanctions at the Brussels summit.',
      'eu_foreign_policy',
    ],
  ])('of "%s" is %s', (text, code) => expect(contextFor(text).topic.code).toBe(code));

  it.each([
    [
      'Solicitanții de azil și refugiații au așteptat la graniță, iar migranții au fost înregistrați.',
      'migration_minorities',
    ],
    [
      'Pompierii și salvatorii au evacuat două sate din cauza inundațiilor; este cod roșu.',
      'disaster_emergency',
    ],
    ['Grădinița a discutat cu părinții despre protecția copilului și despre bullying.', 'children'],
    ['Panourile fotovoltaice și parcul eolian produc mai multă energie decât cărbunele.', 'energy_climate'],
    [
      'Comisia Europeană și miniștrii au discutat la Bruxelles despre sancțiuni și tratatul comercial.',
      'eu_foreign_policy',
    ],
    [
      'Procurorii DNA au trimis în judecată un fost primar pentru luare de mită, la Înalta Curte.',
      'justice_corruption',
    ],
    [
      'Românii din diaspora au ieșit la vot; prezența la vot în turul doi al alegerilor a crescut.',
      'elections',
    ],
  ])('of "%s" is %s', (text, code) => expect(contextFor(text, { language: 'ro' }).topic.code).toBe(code));

  it('is other when nothing stands out', () =>
    expect(contextFor('Blue stones lie quietly under the water.').topic).toEqual({
      code: 'other',
      sensitive: false,
      topics: [],
      by: 'words',
    }));

  it.each([
    'Secretarul general a citit raportul în ședință.',
    'Crimeea se află la Marea Neagră.',
    'Fata a plecat la mare.',
  ])('is not misled by "%s"', (text) =>
    expect(contextFor(text, { language: 'ro' }).score).toBeLessThanOrEqual(15),
  );
});

describe('spans', () => {
  const pieces = fc.constantFrom(
    'URGENT!!! ',
    'share this 😀 ',
    'dați mai departe ',
    'Ni se ascunde adevărul. ',
    'a\u0301 ',
    '\u200b',
    '👩‍👩‍👧 ',
    '\n\n',
    'ȘOCANT ',
    'ştire ',
    '\ud800',
    'According to the ministry, 12,5% rose. ',
  );

  it('quote the text verbatim in code points and UTF-16 units', () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 30 }),
        fc.constantFrom('en', 'ro', 'und'),
        (parts, language) => {
          const text = parts.join('');
          const result = contextFor(text, { language });
          expect(result.score).toBeGreaterThanOrEqual(0);
          expect(result.score).toBeLessThanOrEqual(100);
          const points = [...text];
          for (const span of result.rules.flatMap((line) => line.spans)) {
            expect(text.slice(span.start_utf16, span.end_utf16)).toBe(span.quote);
            expect(points.slice(span.start, span.end).join('')).toBe(span.quote);
            expect(span.quote).not.toBe('');
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
