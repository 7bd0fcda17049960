import { runCheck } from '../../foundation/health.ts';
import type { Handlers } from '../../foundation/service.ts';
import { domainCheck } from './contract.ts';
import { errors } from './errors.ts';
import { assess, assessNoSite, engine, gatherLive, type OfflineKnowledge } from './judgement/check.ts';
import { sources } from './lists/sources.ts';
import type { Live } from './live/live.ts';
import { readSite } from './site.ts';

/** Longest wait for the name servers in a health check, in milliseconds: less than callers of /health wait. */
const CHECK_LIMIT_MS = 1_500;

/** What the routes work with. */
export interface DomainCheckDependencies {
  offline: OfflineKnowledge;
  /** Undefined when live checks are switched off. */
  live: Live | undefined;
}

/** Handlers of the domain credibility check. */
export function domainRoutes({
  offline,
  live,
}: DomainCheckDependencies): Handlers<typeof domainCheck.operations> {
  const enabled = new Set(offline.registry.sources.map((source) => source.code));
  return {
    check: async ({ body }) => {
      const started = performance.now();
      const field = body.url == null ? 'domain' : 'url';
      const given = body[field] ?? '';
      const site = readSite(given);
      if (site === undefined) {
        const message = 'This is neither an http or https address nor a host name.';
        throw errors.validation_failed({
          details: [{ path: ['body', field], message, type: 'value_error', input: given }],
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
    health: async () => {
      const message = live === undefined ? null : (await runCheck(live, CHECK_LIMIT_MS)).error;
      return {
        status: message === null ? 'healthy' : 'degraded',
        service: domainCheck.name,
        version: engine.version,
        live: live !== undefined,
        message,
      };
    },
    ready: () => ({ status: 'ready' }),
  };
}
