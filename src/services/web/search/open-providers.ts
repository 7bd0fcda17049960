import { SettingsError } from '../../../foundation/settings.ts';
import type { IndexAccess } from '../evidence-index/open-index.ts';
import { PROVIDER_NAMES, type ProviderName, type WebSettings } from '../settings.ts';
import type { SearchProvider } from './provider.ts';
import { createBrave } from './providers/brave.ts';
import { createExa } from './providers/exa.ts';
import { createFactCheckTools } from './providers/fact-check-tools.ts';
import { createGdelt } from './providers/gdelt.ts';
import { createLocalProvider } from './providers/local.ts';
import { createSearxng } from './providers/searxng.ts';
import { createSerper } from './providers/serper.ts';
import { createTavily } from './providers/tavily.ts';
import { createWikidata } from './providers/wikidata.ts';
import { createWikipedia } from './providers/wikipedia.ts';

/** What a provider is opened with. */
interface ProviderContext {
  readonly settings: WebSettings;
  readonly index: IndexAccess;
  readonly userAgent: string;
  readonly timeoutMs: number;
}

/** A key from the settings, which were checked before. */
const vendorOptions = ({ userAgent, timeoutMs }: ProviderContext, key: string | undefined) => ({
  userAgent,
  timeoutMs,
  key: key ?? '',
});

/** How each provider is opened. */
const OPENERS: Readonly<Record<ProviderName, (context: ProviderContext) => SearchProvider>> = {
  index: ({ index }) => createLocalProvider(index),
  searxng: ({ settings, ...rest }) => createSearxng({ ...rest, baseUrl: settings.WEB_SEARXNG_URL }),
  wikipedia: createWikipedia,
  wikidata: createWikidata,
  gdelt: createGdelt,
  factcheck: (context) =>
    createFactCheckTools(vendorOptions(context, context.settings.WEB_FACTCHECK_API_KEY)),
  brave: (context) => createBrave(vendorOptions(context, context.settings.WEB_BRAVE_API_KEY)),
  serper: (context) => createSerper(vendorOptions(context, context.settings.WEB_SERPER_API_KEY)),
  tavily: (context) => createTavily(vendorOptions(context, context.settings.WEB_TAVILY_API_KEY)),
  exa: (context) => createExa(vendorOptions(context, context.settings.WEB_EXA_API_KEY)),
};

/** The setting that each provider needs, beside its name. */
const NEEDED = {
  searxng: 'WEB_SEARXNG_URL',
  factcheck: 'WEB_FACTCHECK_API_KEY',
  brave: 'WEB_BRAVE_API_KEY',
  serper: 'WEB_SERPER_API_KEY',
  tavily: 'WEB_TAVILY_API_KEY',
  exa: 'WEB_EXA_API_KEY',
} as const;

/** The providers that the settings name, or that have what they need, in a fixed order. */
export function providersInUse(settings: WebSettings): ProviderName[] {
  const lacks = (name: ProviderName) =>
    name in NEEDED && settings[NEEDED[name as keyof typeof NEEDED]] === undefined;
  const { WEB_PROVIDERS: named, WEB_EVIDENCE_INDEX: hasIndex } = settings;
  if (named === undefined)
    return PROVIDER_NAMES.filter((name) => (name === 'index' ? hasIndex : name in NEEDED && !lacks(name)));
  const missing = named.filter(lacks);
  if (missing.length > 0)
    throw new SettingsError(
      missing.map((name) => `WEB_PROVIDERS: ${name} needs ${NEEDED[name as keyof typeof NEEDED]}`),
    );
  return PROVIDER_NAMES.filter((name) => named.includes(name) && (name !== 'index' || hasIndex));
}

/** Opens the providers in use. Nothing is sent before the first search. */
export const openProviders = (context: ProviderContext): SearchProvider[] =>
  providersInUse(context.settings).map((name) => OPENERS[name](context));

/** The hosts that receive the words of claims, for each external provider. */
const VENDOR_HOSTS: Readonly<Record<Exclude<ProviderName, 'index' | 'searxng'>, string>> = {
  wikipedia: 'wikipedia.org',
  wikidata: 'wikidata.org',
  gdelt: 'api.gdeltproject.org',
  factcheck: 'factchecktools.googleapis.com (Google)',
  brave: 'api.search.brave.com',
  serper: 'google.serper.dev',
  tavily: 'api.tavily.com',
  exa: 'api.exa.ai',
};

/** The external services that receive the words of claims with these settings. */
export function claimRecipients(settings: WebSettings): string[] {
  return providersInUse(settings).flatMap((name) => {
    if (name === 'index') return [];
    if (name === 'searxng')
      return [`the SearXNG at ${settings.WEB_SEARXNG_URL}, and the engines that it asks`];
    return [VENDOR_HOSTS[name]];
  });
}
