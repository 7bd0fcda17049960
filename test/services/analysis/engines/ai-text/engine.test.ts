import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { createAiTextEngine } from '../../../../../src/services/analysis/engines/ai-text/engine.ts';
import { aiTamperedResult } from '../../../../../src/services/analysis/resources/ai-tampered-result.ts';
import { loadLinear } from '../../../../../src/text/linear.ts';
import { runs } from '../../../../campaign.ts';
import { codePoint } from '../../../../code-points.ts';

const engine = createAiTextEngine(loadLinear(readFileSync(packageFile('models', 'ai-text.bin'))));

const news =
  'The town council voted 7 to 4 on Monday night to close the Mill Street bridge until October, after an inspection found cracks in two of its steel beams. ' +
  '"We didn’t want to do it, but nobody up here wants to be the one who left it open," said Ann Lee, who chairs the roads committee. ' +
  'Shop owners on the north side complained that they’d lose the summer trade. Pete Garza, who’s run the hardware store since 1988, figured he was down a third already. ' +
  'The repairs should cost about $1.2 million; the state pays 80 percent. Buses 4 and 9 will go round by the ring road. ' +
  'Council member Joe Hart, who voted no, called the report "a scare job" and said the crew spent maybe 20 minutes down there. The county engineer said it was four days.';

const generated =
  'In today’s rapidly evolving world, technology plays a crucial role in shaping the way individuals learn, work, and communicate. ' +
  'One of the primary benefits of technology in education is that it provides students with access to a wide range of resources and information. ' +
  'Additionally, it allows teachers to create engaging and interactive lessons that cater to different learning styles. Furthermore, online platforms enable students to collaborate with their peers and develop essential skills. ' +
  'However, it is important to note that excessive use of technology can also have negative effects on students’ well-being. ' +
  'Therefore, it is essential for schools to strike a balance between traditional and modern teaching methods. In conclusion, technology has the potential to greatly enhance the learning experience, provided that it is used responsibly and effectively by both students and educators.';

describe('AI text engine', () => {
  it('tells plain generated prose from local news, and accuses neither by style alone', () => {
    const human = engine.analyse({ text: news, language: 'en' }).block;
    const machine = engine.analyse({ text: generated, language: 'en' }).block;
    expect(human.ai_probability).toBeLessThan(20);
    expect(machine.ai_probability).toBeGreaterThan(60);
    expect(machine).toMatchObject({ reason_code: null, reason: null, reason_ro: null });
    expect(human.verdict).toBe('inconclusive');
    expect(machine.verdict).toBe('inconclusive');
    expect(machine.evidence_grade).toBe('C');
  });

  it('gives no number for short texts and for languages that it was not measured on', () => {
    const short = engine.analyse({ text: news.slice(0, 300), language: 'en' });
    expect(short.block.ai_probability).toBeNull();
    expect(short.block.evidence_grade).toBe('D');
    expect(short.out_of_scope).toBe('too_short');
    expect(short.block).toMatchObject({
      reason_code: 'ai_text_too_short',
      reason: 'Under 100 words, style tells nothing about who wrote a text.',
      reason_ro: 'Sub 100 de cuvinte, stilul nu spune nimic despre cine a scris textul.',
    });
    const romanian = engine.analyse({
      text: 'Consiliul local a votat luni închiderea podului. '.repeat(30),
      language: 'ro',
    });
    expect(romanian.block.ai_probability).toBeNull();
    expect(romanian.out_of_scope).toBe('language');
    expect(romanian.block.reason_code).toBe('ai_language_not_measured');
    expect(romanian.block.reason_ro).toMatch(/engleză/);
  });

  it('reads a Romanian disclosure with its span', () => {
    const text = '😀 Podul a fost închis luni.\n\nText generat cu ajutorul inteligenței artificiale';
    const { block } = engine.analyse({ text, language: 'ro' });
    expect(block).toMatchObject({
      verdict: 'disclosed_ai',
      disclosure_detected: true,
      disclosure_explicit: true,
    });
    expect(block.disclosure_text).toBe('Text generat cu ajutorul inteligenței artificiale');
    const where = block.indicators_detected[0]?.where;
    expect(where).toMatchObject({ start: 29, start_utf16: 30 });
  });

  it('takes residue for strong evidence', () => {
    const { block } = engine.analyse({
      text: `As an AI language model, I cannot browse. ${news}`,
      language: 'en',
    });
    expect(block).toMatchObject({ verdict: 'strong_evidence', evidence_grade: 'B' });
    expect(block.categories_affected).toEqual(['text_generation_residue']);
  });

  it('shows weak signs without moving the probability', () => {
    const hidden = news
      .replaceAll('council', 'coun\u200bcil')
      .replaceAll('bridge', 'bri\u200bdge')
      .replaceAll('state', 'sta\u200bte');
    const { block } = engine.analyse({ text: hidden, language: 'en' });
    expect(block.indicators_detected.map((item) => [item.code, item.strength])).toContainEqual([
      'disguised_words',
      'weak',
    ]);
    expect(block.ai_probability).toBe(engine.analyse({ text: news, language: 'en' }).block.ai_probability);
    const mixed = 'Ştirea despre ţară şi preţ. Știrea despre țară și preț. '.repeat(3);
    const signs = engine.analyse({ text: mixed, language: 'ro' }).block.indicators_detected;
    expect(signs.map((item) => item.code)).toEqual(['diacritic_inconsistency_ro']);
  });

  it('fits the interface for any text', () => {
    const pieces = fc.constantFrom(
      'As an AI language model, I ',
      'This article was written by ChatGPT.\n',
      '[insert name] ',
      'word ',
      '"',
      '😀',
      '\ud800',
      '\u200b',
      '\n',
    );
    const any = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(any, fc.constantFrom('en', 'ro', 'und'), (text, language) => {
        const { block } = engine.analyse({ text, language });
        expect(aiTamperedResult.parse(block)).toEqual(block);
        for (const { where } of block.indicators_detected) {
          if (where && 'quote' in where)
            expect(text.slice(where.start_utf16, where.end_utf16)).toBe(where.quote);
        }
      }),
      { numRuns: runs(60) },
    );
  });
});
