import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressBucket, clientAddress } from '../../../src/services/gateway/client-address.ts';
import { forwardedFrom, requestHeaders, responseHeaders } from '../../../src/services/gateway/headers.ts';
import { targetPath } from '../../../src/services/gateway/target-path.ts';

describe('the path for a service', () => {
  it.each([
    ['/agent-v3/api/v3/health', 1, '/api/v3/health'],
    ['/agent-v3', 1, '/'],
    ['/agent-v3/', 1, '/'],
    ['/agent-v3?a=1', 1, '/?a=1'],
    ['/agent-v3/a%2Fb/c%20d?x=%2e%2e/..', 1, '/a%2Fb/c%20d?x=%2e%2e/..'],
    ['/%61gent-v3/x', 1, '/x'],
    ['/agent-v3//x/', 1, '//x/'],
    ['/agent-v3/x#y', 1, '/x'],
    ['http://other.example:80/agent-v3/x?y', 1, '/x?y'],
    ['/realms/clients/jwks', 0, '/realms/clients/jwks'],
    ['/agent-v3/..x/x../...', 1, '/..x/x../...'],
    ['/agent-v3/../realms', 1, undefined],
    ['/agent-v3/./x', 1, undefined],
    ['/agent-v3/%2e%2E/x', 1, undefined],
    ['/agent-v3/..%2fx', 1, undefined],
    ['/agent-v3/..%5cx', 1, undefined],
    ['/agent-v3/..\\x', 1, undefined],
    ['/agent-v3/%zz', 1, undefined],
    ['/agent-v3/%ff', 1, undefined],
  ])('%s without %i: %s', (target, stripped, path) => {
    expect(targetPath(target, stripped)).toBe(path);
  });

  it('never climbs, whatever is asked', () => {
    const piece = fc.constantFrom('.', '/', '\\', '%2e', '%2F', '%5c', 'a', '%', '?', '#', 'http://x');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const path = targetPath(`/agent-v3/${pieces.join('')}`, 1);
        if (path === undefined) return;
        const [below = ''] = path.split('?');
        expect(path.startsWith('/')).toBe(true);
        expect(decodeURIComponent(below).split(/[/\\]/)).not.toContain('..');
      }),
    );
  });
});

describe('the address of a caller', () => {
  it.each([
    ['192.0.2.1', undefined, [], '192.0.2.1'],
    ['192.0.2.1', '198.51.100.7', [], '192.0.2.1'],
    ['::ffff:192.0.2.1', undefined, [], '192.0.2.1'],
    ['10.0.0.1', '198.51.100.7', ['10.0.0.0/8'], '198.51.100.7'],
    ['10.0.0.1', '1.1.1.1, 198.51.100.7', ['10.0.0.1'], '198.51.100.7'],
    ['10.0.0.1', '198.51.100.7, 10.0.0.2', ['10.0.0.0/8'], '198.51.100.7'],
    ['10.0.0.1', 'garbage', ['10.0.0.0/8'], '10.0.0.1'],
    ['10.0.0.1', undefined, ['10.0.0.0/8'], '10.0.0.1'],
    ['10.0.0.1', '2001:db8::7', ['10.0.0.0/8', '2001:db8:1::/48'], '2001:db8::7'],
    ['::1', '[2001:db8::7]:443', ['::1'], '2001:db8::7'],
    ['', undefined, [], ''],
  ])('%s, forwarded for %s, trusting %j: %s', (peer, forwarded, trusted, address) => {
    expect(clientAddress(peer, forwarded, trusted)).toBe(address);
  });

  it('shares a limit within one IPv6 site', () => {
    expect(addressBucket('2001:db8:1:2:3::4')).toBe(addressBucket('2001:db8:1:2:ffff::1'));
    expect(addressBucket('2001:db8:1:2::1')).not.toBe(addressBucket('2001:db8:1:3::1'));
    expect(addressBucket('192.0.2.1')).not.toBe(addressBucket('192.0.2.2'));
  });
});

describe('headers', () => {
  /** A list of names and values as an object; a name that stands twice is an error. */
  const objectOf = (list: readonly unknown[]) => {
    const names = list.filter((_, index) => index % 2 === 0).map(String);
    expect(names).toEqual([...new Set(names)]);
    return Object.fromEntries(names.map((name, index) => [name, list[2 * index + 1]]));
  };
  const word = {
    correlationId: 'c-1',
    clientAddress: '192.0.2.1',
    forwarded: forwardedFrom('https://limpede.example', '/agent-v3', undefined),
  };

  it('of a request lose what concerns the connection and what only the gateway may say', () => {
    const headers = requestHeaders(
      {
        host: 'x',
        connection: 'close, X-Secret',
        'x-secret': '1',
        'keep-alive': '5',
        'transfer-encoding': 'chunked',
        te: 'trailers',
        upgrade: 'h2c',
        expect: '100-continue',
        'content-length': '3',
        forwarded: 'for=1.1.1.1',
        'x-forwarded-for': '1.1.1.1',
        'x-forwarded-user': 'root',
        'x-limpede-user': 'root',
        'x-real-ip': '1.1.1.1',
        'x-correlation-id': 'mine',
        authorization: 'Bearer t',
        'x-api-key': 'k',
        'content-type': 'application/json',
        'idempotency-key': 'i',
      },
      word,
    );
    expect(objectOf(headers)).toEqual({
      authorization: 'Bearer t',
      'x-api-key': 'k',
      'content-type': 'application/json',
      'idempotency-key': 'i',
      'x-correlation-id': 'c-1',
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-host': 'limpede.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/agent-v3',
    });
  });

  it('of an answer keep the word of the service over that of the gateway', () => {
    const answered = {
      connection: 'close',
      'transfer-encoding': 'chunked',
      server: 'x',
      'access-control-allow-origin': '*',
      'x-correlation-id': 'other',
      'x-limpede-key-owner': 'clients/ana',
      'content-security-policy': 'own',
      vary: 'Accept',
      'set-cookie': ['a=1', 'b=2'],
    };
    const everywhere = {
      'content-security-policy': 'gateway',
      'x-frame-options': 'DENY',
      'ratelimit-limit': '0',
    };
    const own = { 'x-correlation-id': 'c-1', 'ratelimit-limit': '60', vary: 'Origin' };
    expect(objectOf(responseHeaders(everywhere, own, answered))).toEqual({
      'x-correlation-id': 'c-1',
      'x-frame-options': 'DENY',
      'ratelimit-limit': '60',
      'content-security-policy': 'own',
      vary: 'Origin, Accept',
      'set-cookie': ['a=1', 'b=2'],
    });
  });
});
