import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { createClaimsEngine } from '../../../../../src/services/analysis/engines/claims/engine.ts';
import { loadKnownClaims } from '../../../../../src/services/analysis/engines/claims/known-claims.ts';
import { createStarterClaims } from '../../../../../src/services/analysis/engines/claims/starter-claims.ts';
import { loadLinear } from '../../../../../src/text/linear.ts';

const modelOf = (name: string) => loadLinear(readFileSync(packageFile('models', `${name}.bin`)));
const engine = createClaimsEngine(
  { words: modelOf('claims-words'), cues: modelOf('claims-cues') },
  loadKnownClaims(createStarterClaims()),
);

const table = readFileSync(new URL('../../known-false/texts.tsv', import.meta.url), 'utf8');
const rows = table
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [asserted, language = '', kind = '', text = ''] = line.split('\t');
    return { asserted: asserted === 'yes', language, kind, text: text.replaceAll('\\n', '\n') };
  });

/** The known claim that a text makes itself. */
const ownKnown = (text: string, language: string) =>
  engine.extract({ text, language }).find((claim) => claim.checkworthiness === 1 && claim.voice === 'author');

describe('known claims in a text', () => {
  it.each(rows.filter(({ asserted }) => asserted))('finds what it asserts: $language $kind: $text', (row) => {
    expect(ownKnown(row.text, row.language)?.status).toBe('unverified');
  });

  it.each(rows.filter(({ asserted, kind }) => !asserted && kind !== 'satire'))(
    'takes nothing for its own that it does not: $language $kind: $text',
    ({ text, language }) => {
      expect(ownKnown(text, language)).toBeUndefined();
    },
  );
});
