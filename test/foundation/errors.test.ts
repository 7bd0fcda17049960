import { describe, expect, it } from 'vitest';
import {
  defineFailures,
  errorResponse,
  Failure,
  failureRows,
  validationRows,
} from '../../src/foundation/errors.ts';

const errors = defineFailures({ queue_empty: [404, 'The queue is empty.'], bad: [422, 'It is bad.'] });
const ID = '6f1c1f0e-6f1c-4f0e-8f1c-1f0e6f1c1f0e';

describe('failures', () => {
  it('are made from their table', () => {
    const failure = errors.queue_empty();
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({
      name: 'Failure',
      code: 'queue_empty',
      status: 404,
      message: 'The queue is empty.',
      details: [],
      headers: {},
    });
  });

  it('may say more', () => {
    const cause = new Error('inside');
    const failure = errors.bad({ message: 'Worse.', headers: { 'Retry-After': '1' }, cause });
    expect([failure.message, failure.headers, failure.cause]).toEqual([
      'Worse.',
      { 'Retry-After': '1' },
      cause,
    ]);
  });

  it('are listed for the documentation', () => {
    expect(failureRows(errors)).toEqual([
      { code: 'queue_empty', status: 404, message: 'The queue is empty.' },
      { code: 'bad', status: 422, message: 'It is bad.' },
    ]);
  });
});

describe('error bodies', () => {
  const details = [
    { path: ['body', 'tags', 0], message: 'Input should be a valid string', type: 'string_type', input: 5 },
    { path: ['query', 'page'], message: 'Field required', type: 'missing' },
  ];

  it('of the analysis name code, correlation id and places', () => {
    expect(errorResponse(errors.queue_empty(), ID)).toEqual({
      success: false,
      error: 'The queue is empty.',
      error_code: 'queue_empty',
      correlation_id: ID,
    });
    expect(errorResponse(errors.bad({ details }), ID).details).toEqual([
      { path: 'body.tags.0', message: 'Input should be a valid string' },
      { path: 'query.page', message: 'Field required' },
    ]);
  });

  it('never tell the cause', () => {
    const body = errorResponse(errors.bad({ cause: new Error('password=1') }), ID);
    expect(JSON.stringify(body)).not.toContain('password');
  });

  it('of the other services have rows with place and input', () => {
    expect(validationRows(errors.bad({ details }))).toEqual([
      { type: 'string_type', loc: ['body', 'tags', 0], msg: 'Input should be a valid string', input: 5 },
      { type: 'missing', loc: ['query', 'page'], msg: 'Field required', input: null },
    ]);
  });
});
