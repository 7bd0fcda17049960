import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailableError } from '../../../src/foundation/database/engine.ts';
import { DeadlineError } from '../../../src/foundation/deadline.ts';
import { toFailure } from '../../../src/foundation/service/failures.ts';
import { analysis } from '../../../src/services/analysis/contract.ts';
import { llm } from '../../../src/services/llm/contract.ts';
import { silent } from '../database/engines.ts';

const prematureClose = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
const full = Object.assign(new Error('write failed'), { code: 'ENOSPC' });

const staying = { log: silent, signal: new AbortController().signal };

describe('what is thrown in a service', () => {
  it.each([
    ['a lost database', new DatabaseUnavailableError('ECONNREFUSED'), 503, 'service_unavailable'],
    ['a full disk', full, 503, 'service_unavailable'],
    ['a full disk behind another error', new Error('x', { cause: full }), 503, 'service_unavailable'],
    ['that its caller left', new DeadlineError('aborted', 1), 400, 'validation_failed'],
    ['a time limit that nobody told', new DeadlineError('timeout', 1), 500, 'internal_error'],
    ['a stream that broke off under a caller who is there', prematureClose, 500, 'internal_error'],
    ['anything else', new Error('x'), 500, 'internal_error'],
  ])('%s', (_name, error, status, code) => {
    const failure = toFailure(error, analysis, staying);
    expect([failure.status, failure.code]).toEqual([status, code]);
    expect(failure.headers['Retry-After']).toBe(status === 503 ? '5' : undefined);
  });

  it('is 503 also where the table has no word of its own for it', () => {
    expect(toFailure(full, llm, staying).status).toBe(503);
  });

  it.each([prematureClose, new DOMException('aborted', 'AbortError')])(
    'is no failure of ours when it comes from a caller who has left: %s',
    (error) => {
      const lines: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
      expect(toFailure(error, analysis, { log, signal: AbortSignal.abort() }).status).toBe(400);
      expect(lines).toEqual([]);
    },
  );

  it('is told of a caller who has left too, where it is a defect', () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    toFailure(new TypeError('x'), analysis, { log, signal: AbortSignal.abort() });
    expect(lines).toHaveLength(1);
  });
});
