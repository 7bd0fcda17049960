import { expect, it } from 'vitest';
import { createTextEngines } from '../../../../src/services/analysis/engines/text-engines.ts';
import { silent } from '../../../foundation/database/engines.ts';

it('the engines answer from their threads, and say when none is left', async () => {
  const engines = await createTextEngines(1, silent);
  await expect(engines.probe()).resolves.toBeUndefined();
  expect(engines.identify('Consiliul local a votat marți repararea a 14 poduri înainte de iarnă.')).toBe(
    'ro',
  );
  const text = 'Share this NOW before they delete it, because the traitors hide the truth!';
  expect((await engines.techniques({ text, language: 'en' })).manipulation_score).toBeGreaterThan(40);
  await engines.close();
  await expect(engines.probe()).rejects.toThrow('no thread');
});
