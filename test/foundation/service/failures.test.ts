import { describe, expect, it } from 'vitest';
import { DatabaseUnavailableError } from '../../../src/foundation/database/engine.ts';
import { DeadlineError } from '../../../src/foundation/deadline.ts';
import { toFailure } from '../../../src/foundation/service/failures.ts';
import { analysis } from '../../../src/services/analysis/contract.ts';
import { llm } from '../../../src/services/llm/contract.ts';
import { silent } from '../database/engines.ts';

const full = Object.assign(new Error('write failed'), { code: 'ENOSPC' });

describe('what is thrown in a service', () => {
  it.each([
    ['a lost database', new DatabaseUnavailableError('ECONNREFUSED'), 503, 'service_unavailable'],
    ['a full disk', full, 503, 'service_unavailable'],
    ['a full disk behind another error', new Error('x', { cause: full }), 503, 'service_unavailable'],
    ['that its caller left', new DeadlineError('aborted', 1), 400, 'validation_failed'],
    ['a time limit that nobody told', new DeadlineError('timeout', 1), 500, 'internal_error'],
    ['anything else', new Error('x'), 500, 'internal_error'],
  ])('%s', (_name, error, status, code) => {
    const failure = toFailure(error, analysis, silent);
    expect([failure.status, failure.code]).toEqual([status, code]);
    expect(failure.headers['Retry-After']).toBe(status === 503 ? '5' : undefined);
  });

  it('is 503 also where the table has no word of its own for it', () => {
    expect(toFailure(full, llm, silent).status).toBe(503);
  });
});
