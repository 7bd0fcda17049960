import type { Handlers } from '../../foundation/service.ts';
import type { domainCheck } from './contract.ts';
import { errors } from './errors.ts';
import { assess, assessNoSite, gatherLive, type OfflineKnowledge } from './judgement/check.ts';
import { sources } from './lists/sources.ts';
import type { LiveChecks } from './live/live.ts';
import { readSite } from './site.ts';

/** What the routes work with. */
export interface DomainCheckDependencies {
  offline: OfflineKnowledge;
  /** Undefined when live checks are switched off. */
  live: LiveChecks | undefined;
}

/** Handlers of the domain credibility check. */
export function domainRoutes({
  offline,
  live,
}: DomainCheckDependencies): Handlers<typeof domainCheck.operations> {
  const enabled = new Set(offline.lists.sources.map((source) => source.code));
  return {
    check: async ({ body }) => {
      const started = performance.now();
      const field = body.url == null ? 'domain' : 'url';
      const input = body[field] ?? '';
      const site = readSite(input);
      if (site === undefined) {
        const message = 'This is neither an http or https address nor a host name.';
        throw errors.validation_failed({
          details: [{ path: ['body', field], message, type: 'value_error', input }],
        });
      }
      if (!('domain' in site)) return assessNoSite(site, started);
      return assess(site, offline, await gatherLive(site, body.live ?? true, live), started);
    },
    sources: () => ({
      sources: sources.map(({ file: _file, origin: _origin, ...source }) => ({
        ...source,
        enabled: enabled.has(source.code),
      })),
    }),
  };
}
