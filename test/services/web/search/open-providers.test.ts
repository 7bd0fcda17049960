import { describe, expect, it } from 'vitest';
import { parseSettings, SettingsError } from '../../../../src/foundation/settings.ts';
import { claimRecipients, providersInUse } from '../../../../src/services/web/search/open-providers.ts';
import { webSettings } from '../../../../src/services/web/settings.ts';

describe('providers in use', () => {
  const use = (environment: Record<string, string>) =>
    providersInUse(parseSettings(webSettings, environment));
  it.each<[Record<string, string>, string[]]>([
    [{}, ['index']],
    [{ WEB_SEARXNG_URL: 'http://127.0.0.1:1' }, ['index', 'searxng']],
    [{ WEB_BRAVE_API_KEY: 'k', WEB_FACTCHECK_API_KEY: 'k' }, ['index', 'factcheck', 'brave']],
    [{ WEB_PROVIDERS: 'gdelt, wikipedia', WEB_BRAVE_API_KEY: 'k' }, ['wikipedia', 'gdelt']],
    [{ WEB_PROVIDERS: 'none' }, []],
    [{ WEB_EVIDENCE_INDEX: 'false' }, []],
  ])('%j: %j', (environment, names) => {
    expect(use(environment)).toEqual(names);
  });

  it.each([{ WEB_PROVIDERS: 'brave' }, { WEB_PROVIDERS: 'searxng' }, { WEB_PROVIDERS: 'bing' }])(
    'refuses %j',
    (environment) => {
      expect(() => use(environment)).toThrow(SettingsError);
    },
  );

  it('says who gets the words of claims', () => {
    const readers = (environment: Record<string, string>) =>
      claimRecipients(parseSettings(webSettings, environment));
    expect(readers({})).toEqual([]);
    expect(readers({ WEB_SEARXNG_URL: 'http://search.home:8888', WEB_EXA_API_KEY: 'k' })).toEqual([
      'the SearXNG at http://search.home:8888, and the engines that it asks',
      'api.exa.ai',
    ]);
  });
});
