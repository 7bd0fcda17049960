import { describe, expect, it } from 'vitest';
import type { BatchResult } from '../../src/cli/batch.ts';
import { batchSummary } from '../../src/cli/batch-summary.ts';

const resultOf = (over: Partial<BatchResult>): BatchResult => ({
  input: 'a.txt',
  session_id: 's1',
  attempt: 1,
  status: 'completed',
  risk_score: 12.5,
  risk_category: 'no_significant_risk',
  confidence: 0.5,
  judged: true,
  drawn: false,
  error: null,
  files: [],
  earlier: false,
  ...over,
});

const results = [
  resultOf({}),
  resultOf({ input: 'știri.txt', risk_score: 61, risk_category: 'likely_misleading', earlier: true }),
  resultOf({
    input: `https://example.org/${'long/'.repeat(20)}end`,
    status: 'failed',
    risk_score: null,
    risk_category: null,
    confidence: null,
    error: '400 text_length: too short',
  }),
];

describe('the summary of a batch', () => {
  it('is a table with a line for each input, and a count', () => {
    const lines = batchSummary(results, 'en').split('\n');
    expect(lines[1]).toMatch(/^ {2}Input +Risk +Category +Confidence +State$/);
    expect(lines[2]).toMatch(/^ {2}a\.txt +12\.5 +No significant risk found +0\.50 +done$/);
    expect(lines[3]).toMatch(/^ {2}știri\.txt +61\.0 +Likely misleading +0\.50 +done before$/);
    expect(lines[4]).toMatch(/^ {2}….{39}\/end +– +– +– +400 text_length: too short$/u);
    expect(lines.at(-2)).toBe('  2 of 3 analysed');
    const columns = lines.slice(1, 5).map((line) => [...line].join('').search(/Risk|12\.5|61\.0|–/u));
    expect(new Set(columns).size).toBe(1);
  });

  it('tells an input of which no check could say anything', () => {
    const results = [resultOf({}), resultOf({ input: 'broken.jpg', judged: false, risk_score: null })];
    expect(batchSummary(results, 'en')).toMatch(/broken\.jpg .* nothing could be checked\n/);
    expect(batchSummary(results, 'en')).toContain('1 of 2 analysed');
    expect(batchSummary(results, 'ro')).toMatch(/broken\.jpg .* nimic nu s-a putut verifica\n/);
  });

  it('speaks Romanian', () => {
    const text = batchSummary(results, 'ro');
    expect(text).toMatch(/Conținut +Risc +Categorie +Încredere +Stare/);
    expect(text).toMatch(/știri\.txt +61,0 +Probabil înșelător +0,50 +gata dinainte/);
    expect(text).toContain('2 din 3 analizate');
  });
});
