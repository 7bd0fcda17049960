import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { packageFile } from '../../../src/foundation/files.ts';
import { allLiveSettings } from '../../../src/services/dashboard/tunables.ts';

const services = readdirSync(packageFile('src', 'services')).filter(
  (name) => !['dashboard', 'catalogue'].includes(name),
);

/**
 * Numbers and switches that are part of an address or fixed when an installation is made; and how long the audit log is kept, which
 * those whose actions it records may not shorten.
 */
const FIXED = /_(PORT|CHROMIUM_SANDBOX|FORCE_PATH_STYLE|AUDIT_DAYS)$/;

const isNumberOrSwitch = (setting: z.ZodType) => {
  const usual = setting.safeParse(undefined);
  return usual.success && (typeof usual.data === 'number' || typeof usual.data === 'boolean');
};

async function settingsOf(service: string): Promise<[string, z.ZodType][]> {
  const module: Record<string, unknown> = await import(`../../../src/services/${service}/settings.ts`);
  const shapes = Object.entries(module).map(([name, value]) => {
    if (value instanceof z.ZodObject) return value.shape as Record<string, z.ZodType>;
    return name === 'ownSettings' ? (value as Record<string, z.ZodType>) : {};
  });
  return Object.entries(Object.assign({}, ...shapes) as Record<string, z.ZodType>);
}

describe('what staff may change', () => {
  const known = new Set(allLiveSettings.map(({ name }) => name));
  it.each(services)('has every number and switch of %s', async (service) => {
    const settings = await settingsOf(service);
    expect(settings.length).toBeGreaterThan(0);
    const missing = settings.filter(
      ([name, setting]) => isNumberOrSwitch(setting) && !FIXED.test(name) && !known.has(name),
    );
    expect(missing.map(([name]) => name)).toEqual([]);
  });
});
