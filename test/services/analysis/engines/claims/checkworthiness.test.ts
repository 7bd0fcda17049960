import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { CheckworthinessScorer } from '../../../../../src/services/analysis/engines/claims/checkworthiness.ts';
import { claimText } from '../../../../../src/services/analysis/engines/claims/cues.ts';
import { loadLinear } from '../../../../../src/text/linear.ts';

const modelOf = (name: string) => loadLinear(readFileSync(packageFile('models', `${name}.bin`)));
const scorer = new CheckworthinessScorer({ words: modelOf('claims-words'), cues: modelOf('claims-cues') });
const share = (sentence: string, language: string) => scorer.score(claimText(sentence), language).checkworthy;

function labelled(file: string): { worthy: boolean; sentence: string }[] {
  const path = packageFile('test', 'services', 'analysis', 'engines', 'claims', 'fixtures', file);
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .filter((line) => /^[01]\|/.test(line))
    .map((line) => ({ worthy: line.startsWith('1'), sentence: line.slice(2) }));
}

/** F1 at the threshold of the model. */
function f1(rows: readonly { worthy: boolean; sentence: string }[]): number {
  const threshold = scorer.threshold('ro');
  const found = rows.filter((row) => share(row.sentence, 'ro') >= threshold);
  const hits = found.filter((row) => row.worthy).length;
  return (2 * hits) / (found.length + rows.filter((row) => row.worthy).length);
}

describe('CheckworthinessScorer', () => {
  it('keeps the quality that the model card states for Romanian', () => {
    expect(f1(labelled('romanian-sentences.txt'))).toBeGreaterThan(0.95);
    expect(f1(labelled('romanian-sentences-2.txt'))).toBeGreaterThan(0.75);
  });

  const pairs: [string, string, string][] = [
    [
      'en',
      'The deficit doubled to 700 billion dollars under the last administration.',
      'I think we can all do better.',
    ],
    ['en', 'He voted against the bill in 2005.', 'Good evening, and thank you for having me.'],
    ['ro', 'Deficitul s-a dublat la 120 de miliarde de lei în 2023.', 'Cred că putem mai mult, cu toții.'],
    ['ro', 'Senatorul a votat împotriva legii în 2005.', 'Bună seara și vă mulțumesc pentru invitație.'],
  ];
  it.each(pairs)('%s: ranks "%s" above "%s"', (language, fact, talk) => {
    expect(share(fact, language)).toBeGreaterThan(share(talk, language) + 0.3);
  });
});
