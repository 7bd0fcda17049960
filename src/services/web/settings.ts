import { z } from 'zod';
import { privateHosts } from '../../foundation/http/allow-list.ts';
import { address, dependency, flag, integer, list, number, optionalText } from '../../foundation/settings.ts';

/** A name, a colon, and a token that cannot be guessed. */
const OPERATOR_TOKEN = /^([\w.-]{1,64}):(\S{16,512})$/;

/** Operators by their tokens. */
const operators = () =>
  list()
    .refine((entries) => entries.every((entry) => OPERATOR_TOKEN.test(entry)), {
      error: 'must be a comma-separated list of name:token, with tokens of at least 16 characters',
    })
    .refine((entries) => !entries.some((entry) => /^(local|limpede):/.test(entry)), {
      error: 'the names local and limpede are taken',
    })
    .transform((entries) =>
      entries.map((entry) => {
        const [, name = '', token = ''] = OPERATOR_TOKEN.exec(entry) ?? [];
        return { name, token };
      }),
    );

/** Every search provider, in the order in which they are shown. */
export const PROVIDER_NAMES = [
  'index',
  'searxng',
  'wikipedia',
  'wikidata',
  'gdelt',
  'factcheck',
  'brave',
  'serper',
  'tavily',
  'exa',
] as const;

/** A search provider by name. */
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Names of providers; unset means those that have what they need. */
const providers = () =>
  z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && name !== 'none'),
    )
    .pipe(
      z.array(z.enum(PROVIDER_NAMES, { error: `must be names of ${PROVIDER_NAMES.join(', ')}, or none` })),
    )
    .optional();

/** When Chromium keeps its sandbox: `auto` wherever it can, which is not the case for root. */
const SANDBOX_CHOICES = ['auto', 'on', 'off'] as const;

/** What an operator says of Chromium's sandbox. */
export type SandboxChoice = (typeof SANDBOX_CHOICES)[number];

/** Settings of the web service, named as in the environment. */
export const webSettings = z.object({
  WEB_API_TOKENS: list().describe('Comma-separated bearer tokens; unset: no token is asked for.'),
  WEB_OPERATOR_TOKENS: operators().describe(
    'Who may change the evidence index: comma-separated name:token, each removes what is its own. The command line on the machine itself has a token in LIMPEDE_HOME and needs none of these.',
  ),
  WEB_EVIDENCE_INDEX: flag(true).describe(
    'Whether there is a local index of evidence, in the database. False: the service opens no database.',
  ),
  WEB_STARTER_SET: flag(true).describe(
    'Whether the long-debunked claims that ship with the product are in the index.',
  ),
  EMBEDDINGS_URL: dependency().describe(
    'The embeddings service, for search by content; set by the platform. none: search by words alone.',
  ),
  RERANKING_URL: dependency().describe(
    'The reranking service, for the order of passages; set by the platform. none: our own score alone.',
  ),
  RERANKING_API_TOKEN: optionalText().describe('Token for the reranking service.'),
  DOMAIN_CHECK_URL: dependency().describe('The domain credibility check; `none` switches it off.'),
  EMBEDDINGS_API_TOKEN: optionalText().describe('Token for the embeddings service.'),
  WEB_RATE_LIMIT_RPS: number(10, 0.001, 10_000_000).describe('Requests per second of the whole process.'),
  WEB_RATE_LIMIT_BURST: integer(20, 1, 10_000_000).describe('Requests that may come at once.'),
  WEB_MAX_CONCURRENT_REQUESTS: integer(20, 1, 10_000).describe(
    'Requests that are worked on at once, a quarter of them at most for one user; more wait.',
  ),
  WEB_MAX_WAITING_REQUESTS: integer(200, 0, 100_000).describe(
    'Requests that wait, users in turns; more are answered with 503, or with 429 when half of them are of one user.',
  ),
  WEB_ALLOWED_PRIVATE_HOSTS: privateHosts().describe(
    'Private hosts that may be fetched: comma-separated host, host:port, address, address:port or CIDR range.',
  ),
  WEB_USER_AGENT: optionalText().describe(
    'User-Agent of fetches; unset: Limpede with its version and WEB_CONTACT.',
  ),
  WEB_PROVIDERS: providers().describe(
    'Search providers in use, comma-separated: index, searxng, wikipedia, wikidata, gdelt, factcheck, brave, serper, tavily, exa; or none. Unset: the local index, and each that has its address or key. Every one but the index gets the words of claims.',
  ),
  WEB_QUERIES_PER_CLAIM: integer(4, 1, 4).describe(
    'Queries that one search provider is asked for a claim at most: its sentence, the same in English for a Romanian one, its key words, and these with what fact-checkers write. Each may cost where a provider has a price.',
  ),
  WEB_PROVIDER_TIMEOUT_MS: integer(10_000, 100, 120_000).describe('Longest wait for one search provider.'),
  WEB_FACTCHECK_API_KEY: optionalText().describe('Key for the Fact Check Tools of Google (free tier).'),
  WEB_BRAVE_API_KEY: optionalText().describe('Key for Brave Search (premium tier).'),
  WEB_SERPER_API_KEY: optionalText().describe('Key for Serper (premium tier).'),
  WEB_TAVILY_API_KEY: optionalText().describe('Key for Tavily (premium tier).'),
  WEB_EXA_API_KEY: optionalText().describe('Key for Exa (premium tier).'),
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
  WEB_CHROMIUM: optionalText().describe(
    'Chromium that shows pages which need their scripts: a path, or `none`; unset: looked for in the usual places.',
  ),
  WEB_CHROMIUM_SANDBOX: z
    .enum(SANDBOX_CHOICES)
    .default('auto')
    .describe('Whether Chromium keeps its sandbox: `auto` (unless this process is root), `on` or `off`.'),
  WEB_CHROMIUM_PAGES: integer(3, 1, 64).describe('Pages that are open in Chromium at once.'),
  VISION_URL: dependency().describe(
    'The vision model server, which reads pages from their picture; `none` switches it off.',
  ),
  WEB_EXTRACT_TIMEOUT_MS: integer(10_000, 10, 120_000).describe('Longest time to extract one page.'),
  WEB_EXTRACT_WORKERS: integer(0, 0, 64).describe(
    'Threads that extract pages; 0: by the number of processors.',
  ),
});

/** Checked settings of the web service. */
export type WebSettings = z.infer<typeof webSettings>;
