import { describe, expect, it } from 'vitest';
import { encodingOf } from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { familyOf } from '../../../../../src/services/analysis/engines/narratives/families.ts';
import { DIMENSIONS } from '../../../../../src/text/encoder/layers.ts';
import { packagedEncoder } from '../../../../../training/evaluate/task.ts';

function passageOf(text: string, language: 'en' | 'ro') {
  const { vectors } = encodingOf(packagedEncoder(), { text, language });
  const count = vectors.length / DIMENSIONS;
  const own = Array.from({ length: count }, (_, at) =>
    vectors.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS),
  );
  return { text, language, vectors: own };
}
const none = new Set<string>();
const alone = { named: none, passages: 1, onlyNamed: false };

describe('families of passages', () => {
  it.each([
    [
      'en',
      'They counted all night behind closed doors and in the morning our candidate had lost. The ballots came in bags.',
      'stolen_election',
    ],
    [
      'ro',
      'Au numărat toată noaptea cu ușile închise, iar dimineața candidatul nostru pierduse. Buletinele au venit în saci.',
      'stolen_election',
    ],
  ] as const)('%s: the likeliest is the one that the passage tells', (language, text, code) => {
    expect(familyOf(passageOf(text, language), alone)?.code).toBe(code);
  });

  const passage = passageOf('The clouds over our town are no clouds. Somebody pays for the planes.', 'en');
  const odds = (given: Partial<typeof alone>) => familyOf(passage, { ...alone, ...given })?.odds ?? 0;

  it('need more evidence in a text of more passages', () => {
    expect(odds({ passages: 30 })).toBeLessThan(odds({ passages: 2 }));
  });

  it('are likelier where a sentence names them by itself', () => {
    const code = familyOf(passage, alone)?.code ?? '';
    expect(odds({ named: new Set([code]) })).toBeGreaterThan(odds({}));
  });

  it('are only those that a sentence names, where the words are few', () => {
    expect(familyOf(passage, { ...alone, onlyNamed: true })).toBeUndefined();
    expect(familyOf(passage, { ...alone, onlyNamed: true, named: new Set(['climate_hoax']) })?.code).toBe(
      'climate_hoax',
    );
  });
});
