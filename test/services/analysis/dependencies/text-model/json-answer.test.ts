import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonCandidates } from '../../../../../src/services/analysis/dependencies/text-model/json-answer.ts';

describe('JSON in the answer of a model', () => {
  it.each<[string, string, unknown[]]>([
    ['alone', ' {"a": 1}\n', [{ a: 1 }]],
    ['in a fence', 'Here you are:\n```json\n{"a": 1}\n```\nAnything else?', [{ a: 1 }]],
    ['in a fence without a language', '```\n{"a": [1, 2]}```', [{ a: [1, 2] }]],
    ['after reasoning', '<think>Maybe {"a": 0}? No.</think>\n{"a": 1}', [{ a: 1 }]],
    ['after reasoning that the template opened', 'Maybe {"a": 0}.\n</think>\n\n{"a": 1}', [{ a: 1 }]],
    ['in running text', 'The answer is {"a": "}{"} as asked.', [{ a: '}{' }]],
    ['after an object that is none', 'Set {x} first, then {"a": 1}.', [{ a: 1 }]],
    ['several', '{"a": 1} or {"a": 2}', [{ a: 1 }, { a: 2 }]],
    [
      'with marks of reasoning inside',
      '{"quote": "<think>hm</think> ```x```"}',
      [{ quote: '<think>hm</think> ```x```' }],
    ],
    ['with escaped quotes', 'So: {"a": "he said \\"{no\\""}', [{ a: 'he said "{no"' }]],
    ['truncated', '{"findings": [{"code": "doubt", "quo', []],
    ['reasoning without an end', '<think>{"a": 1} could be', []],
    ['a web page', '<!doctype html><html><body>Bad gateway</body></html>', []],
    ['nothing', '', []],
    ['words', 'I cannot help with that.', []],
  ])('%s', (_name, answer, expected) => {
    expect(jsonCandidates(answer)).toEqual(expected);
  });

  it('finds any object, whatever is said around it', () => {
    const around = fc.string().map((text) => text.replace(/[{}"<`]/g, ''));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), around, around, (value, before, after) => {
        const text = JSON.stringify(value);
        fc.pre(!/<|```/.test(text));
        expect(jsonCandidates(`${before}${text}${after}`)[0]).toEqual(JSON.parse(text));
      }),
    );
  });

  it('never throws and stays bounded on noise', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{', '}', '"', '\\', '<think>', '</think>', '```', 'a', ' ')),
        (parts) => {
          expect(jsonCandidates(parts.join('')).length).toBeLessThanOrEqual(parts.length);
        },
      ),
    );
  });
});
