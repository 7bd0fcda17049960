// The domain check, cold (nothing known of a site) and warm (live evidence kept), beside its offline part and a bare question to the
// registry. Registry, name server and web server answer at once on loopback: the time of real ones comes on top of a cold check.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { request } from 'undici';
import { createLog } from '../src/foundation/log.ts';
import { buildService } from '../src/foundation/service.ts';
import { parseSettings } from '../src/foundation/settings.ts';
import { domainCheckService } from '../src/services/domain-check/service.ts';
import { domainCheckSettings } from '../src/services/domain-check/settings.ts';
import { TestNameServer, type Zone } from '../test/services/domain-check/live/dns-server.ts';

const SITES = 300;
const WARM_ROUNDS = 3;

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(share * values.length))
  ] ?? 0;
const sites = Array.from({ length: SITES }, (_, number) => `stirile-zilei-${number}.ro`);
const zone: Zone = {
  '': { NS: ['a.root-servers.net'] },
  ...Object.fromEntries(
    sites.map((site) => [site, { A: ['127.0.0.1'], NS: ['ns1.host.ro'], MX: ['5 mx.host.ro'] }]),
  ),
};
const names = new TestNameServer(zone);
const registry = createServer((incoming, response) => {
  const ldhName = incoming.url?.split('/').at(-1) ?? '';
  const events = [{ eventAction: 'registration', eventDate: '2015-01-01T00:00:00Z' }];
  response
    .writeHead(200, { 'content-type': 'application/rdap+json' })
    .end(JSON.stringify({ objectClassName: 'domain', ldhName, events }));
});
await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
const registryUrl = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;

async function startCheck(environment: Record<string, string>) {
  const built = await buildService(domainCheckService, parseSettings(domainCheckSettings, environment), {
    home: '/nonexistent',
    version: 'bench',
    publicUrl: 'http://127.0.0.1:8080',
    log: createLog({ level: 'error', name: 'bench' }),
    metrics: new Registry(),
    database: () => Promise.reject(new Error('this service keeps nothing')),
  });
  const check = async (domain: string, answered: number) => {
    const startedAt = performance.now();
    const reply = await built.app.inject({
      method: 'POST',
      url: '/api/v1/check/check',
      payload: { domain },
    });
    const took = performance.now() - startedAt;
    const { checks_answered: share } = reply.json() as { checks_answered?: number };
    if ((share ?? 0) < answered) throw new Error(`the check answered ${reply.body.slice(0, 300)}`);
    return took;
  };
  return { built, check };
}

const live = await startCheck({
  DOMAIN_RESOLVERS: await names.listen(),
  DOMAIN_RDAP_URL: registryUrl,
  WEB_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
});
const offline = await startCheck({ DOMAIN_LIVE: 'false' });
const times = new Map<string, number[]>();
const measure = async (name: string, once: (site: string) => Promise<unknown>) => {
  const all = times.get(name) ?? [];
  for (const site of sites) {
    const startedAt = performance.now();
    await once(site);
    all.push(performance.now() - startedAt);
  }
  times.set(name, all);
};
try {
  // Connections, tables and code are warm for all alike: only what is known of the sites differs.
  await live.check('alt-site.ro', 0.4);
  await measure('a bare question to the registry', async (site) =>
    (await request(`${registryUrl}/domain/${site}`)).body.json(),
  );
  await measure('cold: registry, name server and web server asked', (site) => live.check(site, 0.8));
  for (let round = 0; round < WARM_ROUNDS; round++) {
    await measure('warm: live evidence kept', (site) => live.check(site, 0.8));
    await measure('offline alone', (site) => offline.check(site, 0.4));
  }
  console.log(`${SITES} unlisted sites, one after another\n`);
  console.log('| subject | p50 ms | p95 ms |\n|---|--:|--:|');
  for (const [name, all] of times)
    console.log(`| ${name} | ${quantile(all, 0.5).toFixed(2)} | ${quantile(all, 0.95).toFixed(2)} |`);
} finally {
  await Promise.all([live.built.close(), offline.built.close(), names.close()]);
  registry.closeAllConnections();
  registry.close();
}
