import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import meta from '../../../../../data/taxonomy/technique-meta.json' with { type: 'json' };
import { packageFile } from '../../../../../src/foundation/files.ts';
import { createTechniquesEngine } from '../../../../../src/services/analysis/engines/techniques/engine.ts';
import { limits } from '../../../../../src/services/analysis/engines/techniques/limits.ts';
import { summariseTechniques } from '../../../../../src/services/analysis/engines/techniques/summary.ts';
import { techniqueItem } from '../../../../../src/services/analysis/resources/techniques-result.ts';
import { countWords } from '../../../../../src/text/words.ts';
import { runs } from '../../../../campaign.ts';

const engine = createTechniquesEngine(readFileSync(packageFile('models', 'techniques.bin')));
const folder = packageFile('test', 'services', 'analysis', 'engines', 'techniques', 'fixtures');
const texts = new Map(
  readdirSync(folder).map((name) => [name.replace('.txt', ''), readFileSync(`${folder}/${name}`, 'utf8')]),
);

function textOf(name: string): string {
  const text = texts.get(name);
  if (text === undefined) throw new Error(`No fixture ${name}.`);
  return text;
}

const languageOf = (name: string) => (/(^|-)ro-/.test(name) ? 'ro' : 'en');
const analyse = (name: string) => engine.analyse(textOf(name), { language: languageOf(name) });
const scoreOf = (text: string, language: string) => engine.analyse(text, { language }).manipulation_score;
const codesOf = (text: string, language: string) =>
  engine.analyse(text, { language }).techniques_detected.map((item) => item.code);

const loud = [...texts.keys()].filter((name) => name.endsWith('-loud'));
const posts = [...texts.keys()].filter((name) => name.startsWith('post-'));
const calm = [...texts.keys()].filter((name) => name.endsWith('-calm') || name.startsWith('tricky-'));

describe('loud and calm texts', () => {
  it.each(loud)('%s scores 40 points or more above its calm pair', (name) => {
    const pair = name.replace('-loud', '-calm');
    expect(analyse(name).manipulation_score - analyse(pair).manipulation_score).toBeGreaterThanOrEqual(40);
  });

  it.each(posts)('%s scores above 40', (name) => {
    expect(analyse(name).manipulation_score).toBeGreaterThan(40);
  });

  it.each(calm)('%s scores below 20', (name) => {
    expect(analyse(name).manipulation_score).toBeLessThan(20);
  });

  it('holds pairs in both languages, short and long', () => {
    const words = loud.map((name) => ({ language: languageOf(name), count: countWords(textOf(name)) }));
    for (const language of ['en', 'ro']) {
      const counts = words.filter((item) => item.language === language).map((item) => item.count);
      expect(counts.length).toBeGreaterThanOrEqual(6);
      expect(Math.min(...counts)).toBeLessThan(130);
      expect(Math.max(...counts)).toBeGreaterThan(450);
    }
  });
});

const cases: [language: string, code: string, text: string][] = [
  ['ro', 'appeal_to_time', 'Citește și distribuie înainte să fie șters!'],
  ['ro', 'appeal_to_time', 'Acum sau niciodată, oameni buni.'],
  ['ro', 'name_calling_labeling', 'Trădătorii din parlament au votat iar.'],
  ['ro', 'name_calling_labeling', 'Lacheii străinilor au semnat tot.'],
  ['ro', 'doubt', 'Ce ne ascund autoritățile despre accident?'],
  ['ro', 'whataboutism', 'Dar despre banii dispăruți de ce nu vorbește nimeni?'],
  ['ro', 'exaggeration_minimisation', 'Este cel mai mare jaf din istoria omenirii.'],
  ['ro', 'false_dilemma_no_choice', 'Ori luptăm acum, ori murim sclavi.'],
  ['ro', 'conversation_killer', 'Așa a fost mereu și punct.'],
  ['ro', 'flag_waving', 'Adevărații români știu ce au de făcut.'],
  ['ro', 'appeal_to_fear_prejudice', 'Copiii voștri vor fi următoarele victime.'],
  ['ro', 'obfuscation_vagueness_confusion', 'Anumite cercuri pregătesc anumite măsuri, cine știe cunoaște.'],
  ['ro', 'appeal_to_popularity', 'Toată lumea știe că au mințit.'],
  ['ro', 'appeal_to_hypocrisy', 'Vorbește despre aer curat, dar el însuși conduce un diesel vechi.'],
  ['en', 'appeal_to_time', 'Share this before they delete it!'],
  ['en', 'doubt', "This is what they don't want you to know about the dam."],
  ['en', 'name_calling_labeling', 'The puppets in the council voted again.'],
  ['en', 'whataboutism', 'But what about the millions that vanished last year?'],
  ['en', 'false_dilemma_no_choice', 'You are either with us or against us.'],
  ['en', 'conversation_killer', 'That is how it has always been, end of discussion.'],
  ['en', 'exaggeration_minimisation', 'It is the greatest theft in the history of mankind.'],
  ['en', 'repetition', 'They said never, never, never.'],
];

describe('techniques by language', () => {
  it.each(cases)('%s %s: %s', (language, code, text) => {
    expect(codesOf(text, language)).toContain(code);
  });

  it.each([
    ['without diacritics', 'Tradatorii din parlament: ce ne ascund? Distribuie inainte sa fie sters!'],
    ['with cedillas', 'Trădătorii din parlament: ce ne ascund? Distribuie înainte să fie şters!'],
    ['in capitals', 'TRĂDĂTORII DIN PARLAMENT: CE NE ASCUND? DISTRIBUIE ÎNAINTE SĂ FIE ȘTERS!'],
    [
      'with combining marks',
      'Trădătorii din parlament: ce ne ascund? Distribuie înainte să fie șters!'.normalize('NFD'),
    ],
    [
      'with zero-width characters',
      'Tră\u200bdătorii din parla\u200dment: ce ne asc\u00adund? Distri\u200cbuie înainte să fie șters!',
    ],
    ['with look-alike letters', 'Trădătоrii din pаrlament: ce ne аscund? Distribuiе înainte să fie șters!'],
    ['with emoji', '🔥🔥 Trădătorii 😡 din parlament: ce ne ascund? 👉 Distribuie înainte să fie șters! 🇷🇴'],
  ])('finds the same techniques %s', (_, text) => {
    expect(codesOf(text, 'ro')).toEqual(
      expect.arrayContaining(['name_calling_labeling', 'doubt', 'appeal_to_time']),
    );
  });

  it('gives quoted speech in a report less weight than the same words in the text’s own voice', () => {
    const own = scoreOf('Trădătorii din parlament au votat legea. Ne-au vândut țara!', 'ro');
    const quoted = scoreOf(
      '„Trădătorii din parlament au votat legea. Ne-au vândut țara!”, a declarat deputatul.',
      'ro',
    );
    expect(quoted).toBeLessThan(own);
  });
});

describe('findings', () => {
  it.each([...texts.keys()])('%s: items hold to the interface', (name) => {
    const { techniques_detected: items, diffuse_evidence: diffuse, ...summary } = analyse(name);
    expect(diffuse).toBeNull();
    for (const item of items) {
      expect(techniqueItem.parse(item).code).toBe(item.code);
      expect(meta.core_codes).toContain(item.code);
      for (const span of item.spans) {
        if (span.weight > 0) expect(span.weight).toBeGreaterThanOrEqual(limits.leastWeight);
        expect(span.weight).toBeLessThanOrEqual(limits.mostConfidence);
        expect(span.confidence).toBeGreaterThan(0);
        expect(item.confidence).toBeGreaterThanOrEqual(span.confidence);
        expect(textOf(name).slice(span.start_utf16, span.end_utf16)).toBe(span.quote);
        expect(/^[\p{L}\p{N}]/u.test(span.quote)).toBe(true);
      }
      const ends = item.spans.map((span) => span.end);
      expect(item.spans.slice(1).every((span, index) => span.start >= (ends[index] ?? 0))).toBe(true);
    }
    expect(summary).toEqual(summariseTechniques(items, countWords(textOf(name))));
  });

  it('explains with the quoted words in both languages', () => {
    const { techniques_detected: items } = engine.analyse('Trădătorii din parlament au votat iar.', {
      language: 'ro',
    });
    const finding = items.find((item) => item.code === 'name_calling_labeling');
    expect(finding?.explanation_en).toContain('“Trădătorii din parlament”');
    expect(finding?.explanation_ro).toContain('„Trădătorii din parlament”');
  });

  const piece = fc.constantFrom(
    'trădătorii',
    'Wake up',
    'share this before they delete it!',
    '😡',
    '👩‍👩‍👧',
    'e\u0301',
    'ș',
    '\u200b',
    '"',
    '„',
    '”',
    '\n',
    ' ',
    'lies',
    'țara noastră',
    '\ud800',
    '. ',
    'ORI MURIM',
    '—',
    '1.000',
  );
  it('quotes are the slices of the text, by code points and by UTF-16', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.constantFrom('en', 'ro', 'fr'),
        (pieces, language) => {
          const text = pieces.join(' ');
          const points = Array.from(text);
          for (const item of engine.analyse(text, { language }).techniques_detected) {
            for (const span of item.spans) {
              expect(text.slice(span.start_utf16, span.end_utf16)).toBe(span.quote);
              expect(points.slice(span.start, span.end).join('')).toBe(span.quote);
              expect(span.quote.trim()).not.toBe('');
            }
          }
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it('answers the same for the same text', () => {
    const bare = (name: string) =>
      JSON.stringify(analyse(name), (key, value: unknown) => (key === 'duration_ms' ? 0 : value));
    expect(bare('en-war-loud')).toBe(bare('en-war-loud'));
  });

  it('refuses bytes that are no model', () => {
    expect(() => createTechniquesEngine(new Uint8Array(100))).toThrow('not a techniques model');
  });
});

describe('a text in two languages', () => {
  it('cannot hide a loud English message among calm Romanian news', () => {
    const news = textOf(calm.find((name) => name.startsWith('ro-')) ?? '');
    const message =
      'The elites want to enslave us and anyone who denies it is a paid traitor. They have taken the truth from you and ' +
      'from your children, and they will not stop. Wake up before it is too late! Share this with everyone you love!';
    const mixed = engine.analyse(`${news}\n\n${message}`, { language: 'ro' });
    expect(mixed.techniques_detected.map((item) => item.code)).toContain('appeal_to_time');
    expect(mixed.manipulation_score).toBeGreaterThan(40);
  });
});
