import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { openDatabase } from '../../src/foundation/database/database.ts';
import { failureRows } from '../../src/foundation/errors.ts';
import { errors } from '../../src/services/analysis/errors.ts';
import { codePoint } from '../code-points.ts';
import { freshHome, silent } from '../foundation/database/engines.ts';
import { startAnalysis } from '../services/analysis/routes/running-analysis.ts';
import { type FuzzTarget, mutated } from './target.ts';

const TEXT = 'They are HIDING the truth! Doctors admit this one trick. Ei ASCUND adevărul, dă mai departe!';
const EXAMPLES = [
  { media_type: 'text', text: TEXT },
  {
    media_type: 'text',
    text: TEXT,
    components: ['techniques'],
    plan_type: 3,
    user_flagged: true,
    metadata: { a: [1] },
  },
  { media_type: 'url', url: 'https://news.example.org/a?b=c#d', skip_components: ['claims'], language: 'ro' },
  { media_type: 'image', media_url: 'https://news.example.org/a.png', duration_sec: 1 },
].map((body) => JSON.stringify(body));
const WORDS = [
  '"media_type":"url"',
  '"url":"http://127.0.0.1/"',
  '"url":"http://[::1]:8080"',
  '"url":"file:///etc/passwd"',
  '"url":"http://a..b/"',
  '"plan_type":7',
  '"plan_type":"1"',
  '"dry_run":false',
  '"components":[]',
  '"components":["x"]',
  '"__proto__":{}',
  '\\u0000',
  '\\ud800',
  '\u202e',
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  'null',
  '1e999',
  '-0',
  ' '.repeat(40),
  'ș'.repeat(60),
];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'text/plain',
  'application/x-www-form-urlencoded',
  '',
];
const CODES = new Map(failureRows(errors).map(({ code, status }) => [code, status]));

/** What only plans is asked for: an analysis of each would take most of the time. */
function planned(body: Buffer): Buffer {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return body;
    return Buffer.from(JSON.stringify({ ...value, dry_run: true }));
  } catch {
    return body;
  }
}

/** Requests for an analysis: a plan, or an error of the table in its documented shape; never anything else. */
export const intake: FuzzTarget = {
  name: 'intake',
  open: async () => {
    const home = freshHome();
    const database = await openDatabase({ home: home.home, log: silent });
    const service = await startAnalysis(database);
    const operation = fc.constantFrom('analyze', 'analyze-async', 'analyze-media');
    const key = fc.option(fc.string({ maxLength: 300, unit: codePoint }), { nil: undefined });
    const ask = async (body: Buffer, path: string, type: string, idempotency: string | undefined) => {
      const headers = {
        'content-type': type,
        ...(idempotency !== undefined && { 'idempotency-key': idempotency }),
      };
      const sent = planned(body);
      const answer = await service.ask('POST', `/api/v3/pipeline/${path}`, {
        body: sent.toString('utf8'),
        headers,
      });
      if (answer.status === 200) {
        deepStrictEqual([answer.body.success, answer.body.dry_run], [true, true]);
        return;
      }
      ok(answer.status < 500, `${answer.status} ${JSON.stringify(answer.body)}`);
      const { success, error, error_code: code, correlation_id: id } = answer.body;
      deepStrictEqual([success, typeof error, typeof id], [false, 'string', 'string']);
      deepStrictEqual(CODES.get(code), answer.status, `${code} with ${answer.status}`);
    };
    return {
      property: fc.asyncProperty(mutated(EXAMPLES, WORDS), operation, fc.constantFrom(...TYPES), key, ask),
      close: async () => {
        await service.close();
        await database.close();
        home.remove();
      },
    };
  },
};
