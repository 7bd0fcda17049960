import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRobots } from '../../../../src/services/web/fetch/robots-rules.ts';
import { codePoint } from '../../../code-points.ts';

const may = (source: string, path: string, product = 'Limpede') => parseRobots(source, product)(path);

describe('robots.txt', () => {
  // The first table follows the examples of RFC 9309 sections 2.2.2, 2.2.3 and 5.
  const cases: readonly [string, string, string, boolean][] = [
    ['nothing at all', '', '/a', true],
    ['everything', 'User-agent: *\nDisallow: /', '/a', false],
    ['an empty rule, which forbids nothing', 'User-agent: *\nDisallow:', '/a', true],
    ['a folder', 'User-agent: *\nDisallow: /private/', '/private/a', false],
    ['another folder', 'User-agent: *\nDisallow: /private/', '/public/a', true],
    ['the longest rule', 'User-agent: *\nDisallow: /a/\nAllow: /a/b', '/a/b/c', true],
    ['the longest rule, in any order', 'User-agent: *\nAllow: /a/b\nDisallow: /a/', '/a/c', false],
    ['two equal rules', 'User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['an asterisk', 'User-agent: *\nDisallow: /*.gif', '/x/y.gif?z', false],
    ['the end', 'User-agent: *\nDisallow: /*.gif$', '/x/y.gif?z', true],
    ['the end, reached', 'User-agent: *\nDisallow: /*.gif$', '/x.gif/y.gif', false],
    ['our own name', 'User-agent: *\nDisallow: /\n\nUser-agent: limpede\nAllow: /', '/a', true],
    ['our own name among others', 'User-agent: GoogleBot\nUser-agent: Limpede/2\nDisallow: /a', '/a', false],
    ['the name of another', 'User-agent: GoogleBot\nDisallow: /', '/a', true],
    [
      'two groups of one name',
      'User-agent: limpede\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: Limpede\nDisallow: /b',
      '/b',
      false,
    ],
    [
      'letters that are encoded in the address alone',
      'User-agent: *\nDisallow: /știri',
      '/%C8%99tiri/a',
      false,
    ],
    ['letters that are encoded in the rule alone', 'User-agent: *\nDisallow: /%c8%99', '/ștuff', false],
    ['a comment', 'User-agent: * # all\nDisallow: /a # not this', '/a', false],
    ['line ends of all kinds', 'User-agent: *\r\nDisallow: /a\rDisallow: /b', '/b', false],
    ['a byte order mark', '\ufeffUser-agent: *\nDisallow: /', '/', false],
    ['itself', 'User-agent: *\nDisallow: /', '/robots.txt', true],
    ['what is no robots.txt', '<html><body>Not found</body></html>', '/a', true],
  ];
  it.each(cases)('of %s', (_case, source, path, expected) => {
    expect(may(source, path)).toBe(expected);
  });

  it('matches as an expression would, whatever the pattern', () => {
    const letters = fc
      .array(fc.constantFrom('a', 'b', '*', '/'), { maxLength: 12 })
      .map((all) => all.join(''));
    const paths = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(letters, paths, fc.boolean(), (pattern, path, isWhole) => {
        const expression = new RegExp(`^/${pattern.replaceAll('*', '.*')}${isWhole ? '$' : ''}`);
        const source = `User-agent: *\nDisallow: /${pattern}${isWhole ? '$' : ''}`;
        expect(may(source, `/${path}`)).toBe(!expression.test(`/${path}`));
      }),
    );
  });

  it('reads any heap of letters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint }),
        fc.webPath(),
        (source, path) => typeof may(source, path) === 'boolean',
      ),
    );
  });

  it('is not held up by patterns that make others go back', () => {
    const source = `User-agent: *\n${`Disallow: /${'*a'.repeat(200)}b\n`.repeat(1200)}`;
    expect(may(source, `/${'a'.repeat(8000)}`)).toBe(true);
  });
});
