import { z } from 'zod';
import { privateHosts } from '../../foundation/http/allow-list.ts';
import { address, integer, list, number, optionalText } from '../../foundation/settings.ts';

/** Settings of the web service, named as in the environment. */
export const webSettings = z.object({
  WEB_API_TOKENS: list().describe('Comma-separated bearer tokens; unset: no token is asked for.'),
  WEB_RATE_LIMIT_RPS: number(10, 0.001, 10_000_000).describe('Requests per second of the whole process.'),
  WEB_RATE_LIMIT_BURST: integer(20, 1, 10_000_000).describe('Requests that may come at once.'),
  WEB_MAX_CONCURRENT_REQUESTS: integer(20, 1, 10_000).describe(
    'Requests that are worked on at once; more are answered with 503.',
  ),
  WEB_ALLOWED_PRIVATE_HOSTS: privateHosts().describe(
    'Private hosts that may be fetched: comma-separated host, host:port, address, address:port or CIDR range.',
  ),
  WEB_USER_AGENT: optionalText().describe(
    'User-Agent of fetches; unset: Limpede with its version and WEB_CONTACT.',
  ),
  WEB_SEARXNG_URL: address().describe('Address of a SearXNG server that searches the web; unset: none.'),
  WEB_CONTACT: optionalText().describe(
    'Address or page where site owners reach you; named in the User-Agent.',
  ),
  WEB_DNS_TIMEOUT_MS: integer(5_000, 1, 120_000).describe('Longest time to resolve a host name.'),
  WEB_CONNECT_TIMEOUT_MS: integer(5_000, 1, 120_000).describe('Longest time to connect to a host.'),
  WEB_HEADERS_TIMEOUT_MS: integer(15_000, 1, 120_000).describe('Longest wait for the headers of an answer.'),
  WEB_BODY_IDLE_TIMEOUT_MS: integer(10_000, 1, 120_000).describe('Longest silence within an answer.'),
  WEB_MAX_PAGE_BYTES: integer(10 * 1024 * 1024, 1024, 256 * 1024 * 1024).describe(
    'Largest page on the wire; three times as much when unpacked.',
  ),
  WEB_HOST_RATE_RPS: number(5, 0.001, 10_000).describe('Requests per second to one host.'),
  WEB_HOST_RATE_BURST: integer(10, 1, 10_000).describe('Requests to one host at once.'),
  WEB_EXTRACT_TIMEOUT_MS: integer(10_000, 10, 120_000).describe('Longest time to extract one page.'),
  WEB_EXTRACT_WORKERS: integer(0, 0, 64).describe(
    'Threads that extract pages; 0: by the number of processors.',
  ),
});

/** Checked settings of the web service. */
export type WebSettings = z.infer<typeof webSettings>;
