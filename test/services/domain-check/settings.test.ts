import { expect, test } from 'vitest';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { domainCheckSettings } from '../../../src/services/domain-check/settings.ts';

test('defaults need nothing set', () => {
  expect(parseSettings(domainCheckSettings, {})).toMatchObject({
    DOMAIN_LIVE: true,
    DOMAIN_RESOLVERS: [],
    DOMAIN_DISABLED_SOURCES: [],
    WEB_ALLOWED_PRIVATE_HOSTS: [],
  });
});

test('lists are read and trimmed', () => {
  const environment = {
    DOMAIN_RESOLVERS: '9.9.9.9, 127.0.0.1:5353,[2620:fe::fe]:53',
    DOMAIN_RDAP_URL: 'https://rdap.example/',
    DOMAIN_WHOIS_SERVER: 'whois.example:4343',
    WEB_ALLOWED_PRIVATE_HOSTS: '127.0.0.1:8443, 10.0.0.0/8',
  };
  expect(parseSettings(domainCheckSettings, environment)).toMatchObject({
    DOMAIN_RESOLVERS: ['9.9.9.9', '127.0.0.1:5353', '[2620:fe::fe]:53'],
    DOMAIN_RDAP_URL: 'https://rdap.example',
    DOMAIN_WHOIS_SERVER: { host: 'whois.example', port: 4343 },
    WEB_ALLOWED_PRIVATE_HOSTS: ['127.0.0.1:8443', '10.0.0.0/8'],
  });
});

test.each([
  ['DOMAIN_RESOLVERS', 'dns.example'],
  ['DOMAIN_RDAP_URL', 'rdap.example'],
  ['DOMAIN_WHOIS_SERVER', 'http://whois.example/'],
  ['DOMAIN_WHOIS_SERVER', 'whois.example:99999'],
  ['DOMAIN_DISABLED_SOURCES', 'nobody'],
  ['DOMAIN_TIMEOUT_MS', '0'],
  ['DOMAIN_LIVE', 'perhaps'],
  ['WEB_ALLOWED_PRIVATE_HOSTS', 'not a host'],
])('%s=%s is told at start', (name, value) => {
  expect(() => parseSettings(domainCheckSettings, { [name]: value })).toThrow(name);
});
