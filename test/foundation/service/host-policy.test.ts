import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { hostPolicyFrom } from '../../../src/foundation/platform.ts';
import { jsonBodyProblem, requestProblem } from '../../../src/foundation/service/host-policy.ts';

const environment = {
  LLM_URL: 'http://models.internal:9000',
  LIMPEDE_ALLOWED_HOSTS: 'Proxy.example, other.example',
  LIMPEDE_HOST: '0.0.0.0',
  GATEWAY_CORS_ORIGINS: 'https://app.example',
  DATABASE_URL: 'postgres://database.example/x',
};
const entrance = hostPolicyFrom(environment, 'https://limpede.example/base', ['llm', 'domain_check']);

/** A request with headers as they were sent. */
function problem(headers: readonly (readonly [string, string])[], url = '/v1/x', method = 'POST') {
  const known = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const request = { method, url, headers: known, rawHeaders: headers.flat() };
  return requestProblem(request as unknown as IncomingMessage, entrance);
}
const host = (name: string) => ['Host', name] as const;

describe('the Host of a request', () => {
  it.each([
    ...[
      '127.0.0.1',
      '127.0.0.1:8080',
      '192.0.2.7',
      '[::1]',
      '[::1]:8080',
      'localhost',
      'LOCALHOST:1',
      'localhost.',
    ],
    ...['limpede.example', 'limpede.example:443', 'models.internal:9000', 'proxy.example', 'OTHER.example'],
    ...['llm', 'llm:8082', 'domain-check', 'domain_check:8093'],
  ])('%s is ours', (name) => {
    expect(problem([host(name)])).toBeUndefined();
  });

  it.each([
    ...[
      'evil.example',
      'limpede.example.evil.example',
      'evil-limpede.example',
      'localhost.evil.example',
      'xlocalhost',
    ],
    ...[
      '127.0.0.1.evil.example',
      'database.example',
      '',
      ' ',
      'a b',
      '127.0.0.1:80:80',
      '[::1',
      'app.example',
      '256.1.1.1',
    ],
  ])('%j is not', (name) => {
    expect(problem([host(name)])).toContain('Host');
    for (const path of ['/health', '/ready', '/metrics', '/metrics?x'])
      if (name === 'evil.example') expect(problem([host(name)], path, 'GET')).toBeUndefined();
  });

  it('is needed, once', () => {
    expect(problem([])).toContain('one Host');
    expect(problem([host('localhost'), host('evil.example')])).toContain('one Host');
  });
});

describe('the other headers of a request', () => {
  it.each([
    ['of our own page', 'https://limpede.example', undefined],
    ['of the settings', 'https://app.example', undefined],
    ['of the service itself', 'http://127.0.0.1:8082', undefined],
    ['of another port', 'http://127.0.0.1:3000', 'Origin'],
    ['of a stranger', 'https://evil.example', 'Origin'],
    ['of nobody', 'null', 'Origin'],
    ['that is none', 'x', 'Origin'],
    ['of our page without encryption', 'http://limpede.example', 'Origin'],
    ['of an extension without a key', 'chrome-extension://abc', 'Origin'],
  ])('name an Origin %s', (_name, origin, refusal) => {
    const found = problem([host('127.0.0.1:8082'), ['Origin', origin]]);
    if (refusal === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(refusal);
  });

  it('let an extension in with its key, and every preflight', () => {
    for (const origin of ['chrome-extension://abc', 'moz-extension://abc', 'safari-web-extension://abc'])
      expect(problem([host('localhost'), ['Origin', origin], ['X-API-Key', 'lmp_ext_1']])).toBeUndefined();
    expect(problem([host('localhost'), ['Origin', 'https://evil.example'], ['X-API-Key', 'k']])).toContain(
      'Origin',
    );
    expect(problem([host('localhost'), ['Origin', 'https://evil.example']], '/x', 'OPTIONS')).toBeUndefined();
  });

  it('bring one Authorization and a known expectation', () => {
    const authorization = ['Authorization', 'Bearer x'] as const;
    expect(problem([host('localhost'), authorization])).toBeUndefined();
    expect(problem([host('localhost'), authorization, ['authorization', 'Bearer y']])).toContain(
      'Authorization',
    );
    expect(problem([host('localhost'), ['Expect', '100-Continue']])).toBeUndefined();
    expect(problem([host('localhost'), ['Expect', '200-ok']])).toContain('Expect');
  });
});

describe('a JSON body', () => {
  it.each([
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/problem+json',
    'application/json; odata=full',
  ])('is called %s', (type) => {
    expect(jsonBodyProblem({ 'content-type': type })).toBeUndefined();
    expect(jsonBodyProblem({ 'content-type': type, 'content-encoding': 'identity' })).toBeUndefined();
    for (const encoding of ['gzip', 'br', 'gzip, identity', 'x'])
      expect(jsonBodyProblem({ 'content-type': type, 'content-encoding': encoding })).toContain('Encoding');
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'text/plain; x=application/json',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json, text/plain',
  ])('is not called %s', (type) => {
    expect(jsonBodyProblem(type === undefined ? {} : { 'content-type': type })).toContain('Content-Type');
  });

  it.each(['utf-16', 'iso-8859-1', 'utf-7', 'x'])('is not written in %s', (charset) => {
    expect(jsonBodyProblem({ 'content-type': `application/json; charset=${charset}` })).toContain('charset');
  });
});
