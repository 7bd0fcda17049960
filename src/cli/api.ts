import { type Dispatcher, request } from 'undici';
import type { ErrorResponse } from '../services/analysis/resources/error-response.ts';
import { UserError } from './user-error.ts';

/** A platform to ask: where it is and a token for it. */
export interface Api {
  readonly url: string;
  readonly token: string;
  readonly agent?: Dispatcher;
}

/** Calls an operation; the body of its answer, or a UserError with the platform's reason. */
export async function callApi(
  { url, token, agent }: Api,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const { statusCode, body: answered } = await request(url + path, {
    method,
    ...(agent !== undefined && { dispatcher: agent }),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answered.text();
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : { error: text };
  if (statusCode < 400) return parsed;
  throw new UserError(`${statusCode} ${reasonOf(parsed)}`);
}

/** Code, words and places of an error body, in one line. */
function reasonOf(body: unknown): string {
  const { error = 'no reason was given', error_code = '', details = [] } = body as Partial<ErrorResponse>;
  const places = details.map(({ path, message }) => `; ${path}: ${message}`);
  return `${error_code}: ${error}${places.join('')}`;
}
