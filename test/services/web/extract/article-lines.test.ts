import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trimArticle } from '../../../../src/services/web/extract/article-lines.ts';
import type { Line } from '../../../../src/services/web/extract/blocks.ts';

const prose =
  'Consiliul local a votat miercuri bugetul pentru anul viitor, după o dezbatere care a durat mai mult de patru ore.';
const line = (text: string, linked = 0, tag = 'p'): Line => ({ text, linked, tag });
const known = { title: 'Bugetul a fost votat', author: 'Ana Ionescu' };
const story = Array.from({ length: 6 }, () => line(prose));
const trim = (lines: Line[]) => trimArticle(lines, known).map(({ text }) => text);
const proseOnly = story.map(({ text }) => text);

describe('lines before the story', () => {
  it.each([
    ['the title', line('Bugetul a fost votat', 0, 'h1')],
    ['the author', line('Ana Ionescu')],
    ['a by-line', line('De Ana Ionescu, corespondent la Cluj')],
    ['a date', line('Publicat: 5 martie 2024, ora 10:30')],
    ['an English date', line('Updated 10:01 pm PST, Tuesday, November 19, 2019')],
    ['a section', line('Politică')],
    ['a link', line('Știri externe și analize din toată lumea', 1)],
  ])('%s is left out', (_what, before) => {
    expect(trim([before, ...story])).toEqual(proseOnly);
  });

  it('a lead stays', () => {
    const lead = line('Bugetul orașului a trecut cu un singur vot în plus.');
    expect(trim([lead, ...story])[0]).toBe(lead.text);
  });

  it('a heading of the story stays', () => {
    expect(trim([line('Contextul', 0, 'h2'), ...story])[0]).toBe('Contextul');
  });
});

describe('lines within the story', () => {
  it.each([
    ['an advertisement label', line('Publicitate')],
    ['a pointer', line('Citește și: Ce a spus primarul despre buget', 0.8)],
    ['an English pointer', line('Read more: What the mayor said', 0.9)],
    ['a credit', line('Foto: Inquam Photos / Octav Ganea')],
    ['a paragraph that is one link', line('Primarul a demisionat după scandalul din parc', 1)],
    ['a comment label', line('12 comments')],
  ])('%s is left out', (_what, within) => {
    expect(trim([...story.slice(0, 3), within, ...story.slice(3)])).toEqual(proseOnly);
  });

  it.each([
    ['a heading', line('Ce urmează', 0, 'h2')],
    ['a short sentence', line('Nu a fost așa.')],
    ['an entry of a list', line('impozitul pe clădiri', 0, 'li')],
    ['a sentence with a link', line('Documentul este public și poate fi citit de oricine pe site.', 0.3)],
    ['a sentence about photographs', line('Imaginile Getty Images au fost folosite ca probe în proces.')],
  ])('%s stays', (_what, within) => {
    expect(trim([...story.slice(0, 3), within, ...story.slice(3)])).toContain(within.text);
  });
});

describe('lines after the story', () => {
  it.each([
    [
      'an invitation',
      line('Abonează-te la newsletter și primești știrile zilei în fiecare dimineață pe e-mail.'),
    ],
    ['rights', line('Copyright 2024. Toate drepturile rezervate.')],
    ['a heading with nothing below it', line('Comentariile cititorilor', 0, 'h3')],
    [
      'the author once more',
      line('Ana Ionescu este redactor la secția economică din 2015 și a scris trei cărți despre bugete.'),
    ],
  ])('%s is left out', (_what, after) => {
    expect(trim([...story, after])).toEqual(proseOnly);
  });
});

describe('any lines', () => {
  const anyLine: fc.Arbitrary<Line> = fc.record({
    text: fc.oneof(
      fc.constant(prose),
      fc.string({ minLength: 1 }),
      fc.constantFrom('Publicitate', 'By', '5 martie 2024'),
    ),
    linked: fc.double({ min: 0, max: 1, noNaN: true }),
    tag: fc.constantFrom('p', 'li', 'h2', 'div'),
  });

  it('are only taken out, never changed or moved', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 30 }), (lines) => {
        const kept = trimArticle(lines, known);
        let at = -1;
        for (const each of kept) {
          const next = lines.indexOf(each);
          expect(next).toBeGreaterThan(at);
          at = next;
        }
      }),
    );
  });

  it('of a list or catalogue stay as they are', () => {
    const list = Array.from({ length: 20 }, (_, index) => line(`Produsul ${index}`, 1, 'li'));
    expect(trimArticle(list, known)).toEqual(list);
  });
});
