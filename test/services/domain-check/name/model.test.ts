import { describe, expect, test } from 'vitest';
import { loadNameModel } from '../../../../src/services/domain-check/name/model.ts';
import { readSite } from '../../../../src/services/domain-check/site.ts';

const siteOf = (host: string) => {
  const site = readSite(host);
  if (site === undefined || !('domain' in site)) throw new Error(`${host} is no site`);
  return site;
};

describe('the name model', () => {
  const model = loadNameModel();

  test('orders names of made-up sites as a reader would', () => {
    const calm = ['smithvilleherald.com', 'kxyztv.com', 'valleytimesgazette.com', 'westshorejournal.co.uk'];
    const loud = [
      'patriotfreedomtruth.com',
      'theglobalistexposed.com',
      'naturalcuresuncensored.net',
      'realconservativealert.news',
    ];
    const worstCalm = Math.min(...calm.map((host) => model.logOdds(siteOf(host))));
    const bestLoud = Math.max(...loud.map((host) => model.logOdds(siteOf(host))));
    expect(worstCalm).toBeGreaterThan(bestLoud);
  });

  test('gives the same answer again', () => {
    const site = siteOf('zidulmeu.ro');
    expect(model.logOdds(site)).toBe(model.logOdds(site));
    expect(Number.isFinite(model.logOdds(site))).toBe(true);
  });
});
