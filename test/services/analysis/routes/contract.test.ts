import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../../../../src/foundation/contract.ts';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { analysis } from '../../../../src/services/analysis/contract.ts';
import { errorResponse } from '../../../../src/services/analysis/resources/error-response.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const home = freshHome();
let database: Database;
let service: RunningAnalysis;
beforeAll(async () => {
  database = await openDatabase({ home: home.home, log: silent });
  service = await startAnalysis(database);
});
afterAll(async () => {
  await service.close();
  await database.close();
  home.remove();
});

const operations = Object.entries<Operation>(analysis.operations);
const fill = (path: string) => path.replace(/\{\w+\*?\}/g, '3f0a4c3e-1f0a-4b9e-9d53-6a1d6f1f0a4c');

describe.each(operations)('%s', (_name, { method, path, access }) => {
  const url = fill(path);

  it('refuses callers without a token unless it is public', async () => {
    const { status, body } = await service.ask(method, url, { as: null });
    if (access === 'public') return expect(status).not.toBe(401);
    expect([status, body.error_code]).toEqual([401, 'token_missing']);
    expect(errorResponse.safeParse(body).error).toBeUndefined();
  });

  it('answers another method with those that its address knows', async () => {
    const known = operations.filter(([, other]) => other.path === path).map(([, other]) => other.method);
    const other = (['DELETE', 'PUT', 'POST', 'GET'] as const).find((each) => !known.includes(each));
    if (other === undefined) throw new Error('every method is known');
    const { status, body, headers } = await service.ask(other, url);
    expect([status, body.error_code]).toEqual([405, 'method_not_allowed']);
    for (const each of known) expect(headers.allow).toContain(each);
    expect(errorResponse.safeParse(body).error).toBeUndefined();
  });
});

/** The schema of a JSON body; null where the body is of another kind, or where there is none. */
const jsonBody = ({ body }: Operation) => (body instanceof z.ZodType ? body : null);

describe.each(operations.filter(([, operation]) => jsonBody(operation) !== null))(
  '%s',
  (_name, operation) => {
    const { method, path } = operation;
    const mayBeEmpty = jsonBody(operation)?.safeParse(undefined).success === true;

    it.each<[string, unknown]>([
      ...(mayBeEmpty ? [] : [['no body', undefined] as [string, unknown]]),
      ['no JSON', '{'],
      ['a list', []],
      ['a word', '"word"'],
    ])('answers 400 to %s', async (_kind, body) => {
      const { status, body: answer } = await service.ask(method, fill(path), { body });
      expect(status).toBe(400);
      expect(errorResponse.safeParse(answer).error).toBeUndefined();
    });
  },
);
