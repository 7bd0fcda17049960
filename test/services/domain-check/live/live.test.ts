import { describe, expect, test } from 'vitest';
import { parseAllowList } from '../../../../src/foundation/http/allow-list.ts';
import { createLiveChecks, missingLiveEvidence } from '../../../../src/services/domain-check/live/live.ts';
import { NoAnswerError, runLiveCheck } from '../../../../src/services/domain-check/live/live-check.ts';
import type { NameLookup, NameRecords } from '../../../../src/services/domain-check/live/names.ts';
import {
  createRegistryClient,
  type Registration,
} from '../../../../src/services/domain-check/live/registration.ts';
import type { Whois } from '../../../../src/services/domain-check/live/whois.ts';
import { readSite } from '../../../../src/services/domain-check/site.ts';

const siteOf = (host: string) => {
  const site = readSite(host);
  if (site === undefined || !('domain' in site)) throw new Error(`${host} is no site`);
  return site;
};

const records: NameRecords = {
  found: true,
  addresses: ['10.0.0.1'],
  nameServers: [],
  mail: 'none',
  spf: false,
  dmarc: 'absent',
  caa: false,
};

const registration: Registration = {
  found: true,
  record: 'whois://whois.example/a.md',
  registeredAt: null,
  changedAt: null,
  expiresAt: null,
  registrar: null,
  status: [],
  nameServers: [],
  delegationSigned: null,
};

/** A lookup that counts its calls and answers, or fails, as the test says. */
function countingLookup(answer: () => NameRecords | Promise<NameRecords>): NameLookup & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    ask: async (site) => {
      asked.push(site.domain);
      return answer();
    },
    probe: async () => {},
  };
}

function liveOver(names: NameLookup, limits: { total?: number; concurrency?: number } = {}, whois?: Whois) {
  return createLiveChecks({
    names,
    registries: createRegistryClient(5000, 60_000),
    registryServer: undefined,
    whois,
    handshake: { allow: parseAllowList([]) },
    limits: { total: limits.total ?? 5000, names: 5000, certificate: 5000 },
    concurrency: limits.concurrency ?? 100,
    memory: { entries: 10, answered: 60_000, incomplete: 60_000, unreachable: 60_000 },
  });
}

// Names below suffixes without a known registry server: no test leaves the machine.
describe('createLive', () => {
  test('asks once for callers at the same time and for those who come later', async () => {
    const names = countingLookup(() => records);
    const live = liveOver(names);
    const site = siteOf('a.unlistedsuffix');
    const [first, second] = await Promise.all([live.check(site), live.check(site)]);
    expect(second).toBe(first);
    expect(await live.check(site)).toBe(first);
    expect(names.asked).toEqual(['a.unlistedsuffix']);
    expect(first).toMatchObject({
      registration: { state: 'skipped', reason: 'no_registry_server' },
      names: { state: 'answered', facts: records },
      certificate: { state: 'skipped', reason: 'private_address' },
    });
    await live.close();
  });

  test('WHOIS is asked where no RDAP server is known, and its reason is told', async () => {
    const asked: string[] = [];
    const whois: Whois = {
      ask: async ({ domain }) => {
        asked.push(domain);
        if (domain === 'a.md') return registration;
        throw new NoAnswerError('timeout');
      },
    };
    const live = liveOver(
      countingLookup(() => records),
      {},
      whois,
    );
    expect(await live.check(siteOf('www.a.md'))).toMatchObject({
      registration: { state: 'answered', facts: registration },
    });
    expect(await live.check(siteOf('b.md'))).toMatchObject({
      registration: { state: 'failed', reason: 'timeout' },
    });
    expect(await live.check(siteOf('c.unlistedsuffix'))).toMatchObject({
      registration: { state: 'skipped', reason: 'no_registry_server' },
    });
    expect(asked).toEqual(['a.md', 'b.md']);
    await live.close();
  });

  test('an unreachable network is remembered, across sites', async () => {
    const names = countingLookup(() => {
      throw new NoAnswerError('unreachable');
    });
    const live = liveOver(names);
    expect(await live.check(siteOf('a.unlistedsuffix'))).toMatchObject({
      names: { state: 'failed', reason: 'unreachable' },
      certificate: { state: 'failed', reason: 'no_name_records' },
    });
    expect(await live.check(siteOf('b.unlistedsuffix'))).toMatchObject({
      names: { reason: 'unreachable_lately' },
    });
    expect(names.asked).toEqual(['a.unlistedsuffix']);
    await live.close();
  });

  test('the silence of one domain does not silence others', async () => {
    const names = countingLookup(() => {
      throw new NoAnswerError('name_servers_silent');
    });
    const live = liveOver(names);
    await live.check(siteOf('a.unlistedsuffix'));
    await live.check(siteOf('b.unlistedsuffix'));
    expect(names.asked).toEqual(['a.unlistedsuffix', 'b.unlistedsuffix']);
    await live.close();
  });

  test('the registration of a host says nothing of a site on it', async () => {
    const live = liveOver(countingLookup(() => records));
    expect(await live.check(siteOf('someone.blogspot.com'))).toMatchObject({
      registration: { state: 'skipped', reason: 'hosted_name' },
    });
    await live.close();
  });

  test('ends by the limit for all checks together', async () => {
    const live = liveOver(
      countingLookup(() => new Promise(() => undefined)),
      { total: 50 },
    );
    expect(await live.check(siteOf('a.unlistedsuffix'))).toMatchObject({
      names: { state: 'failed', reason: 'timeout' },
      certificate: { state: 'failed' },
    });
    await live.close();
  });

  test('beyond the limit of sites at a time there is no live evidence, and the next call may have it', async () => {
    const live = liveOver(
      countingLookup(() => records),
      { concurrency: 1 },
    );
    const first = live.check(siteOf('a.unlistedsuffix'));
    const beyond = await live.check(siteOf('b.unlistedsuffix'));
    expect(beyond).toMatchObject({ checkedAt: null, names: { state: 'failed', reason: 'busy' } });
    expect((await first).names.state).toBe('answered');
    expect((await live.check(siteOf('b.unlistedsuffix'))).names.state).toBe('answered');
    await live.close();
  });

  test('closing ends what is under way', async () => {
    const live = liveOver(countingLookup(() => new Promise(() => undefined)));
    const under = live.check(siteOf('a.unlistedsuffix'));
    await live.close();
    expect((await under).names.state).toBe('failed');
  });
});

describe('runLiveCheck', () => {
  const never = new AbortController().signal;

  test('an unexpected error is a failed check', async () => {
    const failing = async () => {
      throw new TypeError('oops');
    };
    expect(await runLiveCheck(failing, never, 1000)).toMatchObject({
      state: 'failed',
      reason: 'error',
      facts: undefined,
    });
  });

  test('a signal that was aborted before ends at once', async () => {
    const checked = await runLiveCheck(() => new Promise(() => undefined), AbortSignal.abort());
    expect(checked).toMatchObject({ state: 'failed', reason: 'timeout' });
  });
});

test('what was not wanted is off', () => {
  for (const checked of Object.values(missingLiveEvidence('switched_off')).filter((part) => part !== null)) {
    expect(checked).toMatchObject({ state: 'off', reason: 'switched_off' });
  }
});
