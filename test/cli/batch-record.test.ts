import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BatchEntry, openBatchRecord, resultName } from '../../src/cli/batch-record.ts';
import type { AnalysisInput } from '../../src/cli/inputs.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'limpede-batch-')), 'results');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const inputOf = (name: string, text = name): AnalysisInput => ({
  name,
  request: { media_type: 'text', text },
});
const entryOf = (over: Partial<BatchEntry> = {}): BatchEntry => ({
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
  files: ['a.json'],
  ...over,
});

describe('the record of a batch', () => {
  it('knows after a restart what was done, by what was sent and not by its name', () => {
    openBatchRecord(folder).set(inputOf('a.txt'), entryOf());
    const again = openBatchRecord(folder);
    expect(again.entryOf({ ...inputOf('a.txt'), name: 'renamed.txt' })).toEqual(entryOf());
    expect(again.entryOf(inputOf('a.txt', 'changed'))).toBeUndefined();
  });

  it('counts an input as finished only when its files are there', () => {
    const record = openBatchRecord(folder);
    const input = inputOf('a.txt');
    expect(record.isFinished(input, [])).toBe(false);
    record.set(input, entryOf());
    expect(record.isFinished(input, ['a.json'])).toBe(false);
    writeFileSync(join(folder, 'a.json'), '{}');
    expect(record.isFinished(input, ['a.json'])).toBe(true);
    expect(record.isFinished(input, ['a.json', 'a.html'])).toBe(false);
    record.set(input, entryOf({ status: 'failed' }));
    expect(record.isFinished(input, ['a.json'])).toBe(false);
  });

  it('gives an attempt the same key again, and another attempt, input or folder another one', () => {
    const record = openBatchRecord(folder);
    record.set(inputOf('a'), entryOf());
    const key = record.idempotencyKey(inputOf('a'), 1);
    expect(openBatchRecord(folder).idempotencyKey(inputOf('a'), 1)).toBe(key);
    const others = [
      record.idempotencyKey(inputOf('a'), 2),
      record.idempotencyKey(inputOf('b'), 1),
      openBatchRecord(join(folder, 'other')).idempotencyKey(inputOf('a'), 1),
    ];
    expect(new Set([key, ...others]).size).toBe(4);
    expect(key.length).toBeLessThanOrEqual(255);
  });

  it('refuses a damaged file instead of doing everything again', () => {
    const record = openBatchRecord(folder);
    record.set(inputOf('a'), entryOf());
    const path = join(folder, 'limpede-batch.json');
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, 40));
    expect(() => openBatchRecord(folder)).toThrow('is damaged');
  });
});

describe('the name of a result', () => {
  it.each([
    ['Știri din țară.txt', /^stiri-din-tara-txt-[0-9a-f]{8}$/],
    ['https://Example.org/a/b?c=d', /^example-org-a-b-c-d-[0-9a-f]{8}$/],
    ['../../etc/passwd', /^etc-passwd-[0-9a-f]{8}$/],
    ['😀', /^input-[0-9a-f]{8}$/],
  ])('of %s', (name, pattern) => expect(resultName(inputOf(name))).toMatch(pattern));

  it('differs for inputs of one name', () => {
    expect(resultName(inputOf('a.txt', 'one'))).not.toBe(resultName(inputOf('a.txt', 'two')));
  });
});
