import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { runs, startCampaign } from '../campaign.ts';
import { events } from './events.ts';
import { extraction } from './extraction.ts';
import { intake } from './intake.ts';
import { json } from './json.ts';
import { type FuzzTarget, mutated } from './target.ts';
import { tokens } from './tokens.ts';

const TARGETS: readonly FuzzTarget[] = [intake, extraction, tokens, events, json];
/** Set by `npm run fuzz`: how long each target is tried. */
const minutes = Number(process.env.LIMPEDE_FUZZ_MINUTES ?? '0');
const MINUTE_MS = 60_000;
/** Inputs of one seed; the next seed goes on from there. */
const BATCH = 500;
const SAMPLE = 100;

/** Why an input is a finding, the input as text, and how to come to it again. */
function findingOf(outcome: fc.RunDetails<unknown>): string {
  const parts = [outcome.counterexample]
    .flat()
    .map((part) => (Buffer.isBuffer(part) ? part.toString() : part));
  const why = outcome.errorInstance instanceof Error ? outcome.errorInstance.stack : outcome.errorInstance;
  return [why, JSON.stringify(parts), fc.defaultReportMessage(outcome)].join('\n');
}

/** Tries inputs until the time is over, or for one batch; the message of the first finding, and how many were tried. */
async function fuzz(property: fc.IAsyncProperty<unknown>, endAt: number, size: number) {
  let tried = 0;
  let seed = inject('campaigns').seed;
  do {
    const outcome = await fc.check(property, { seed, numRuns: size });
    tried += outcome.numRuns;
    if (outcome.failed) return { tried, finding: findingOf(outcome) };
    seed = (seed + 1) | 0;
  } while (Date.now() < endAt);
  return { tried, finding: null };
}

describe('input of strangers', () => {
  const campaign = startCampaign('fuzz');

  it.each(TARGETS)(
    '$name',
    async ({ name, open }) => {
      const { property, close } = await open();
      try {
        const size = minutes > 0 ? BATCH : runs(SAMPLE);
        const { tried, finding } = await fuzz(property, Date.now() + minutes * MINUTE_MS, size);
        campaign.summary(`${name}: ${tried} inputs, ${finding === null ? 'no finding' : 'a finding'}`);
        expect(finding).toBeNull();
      } finally {
        await close();
      }
    },
    (minutes + 10) * MINUTE_MS,
  );

  it('finds what is planted, and names seed and counterexample', async () => {
    const planted = fc.asyncProperty(mutated(['{"a":1}'], ['}}', '[']), async (bytes) => {
      if (bytes.includes('}}')) throw new Error('planted');
    });
    const { finding } = await fuzz(planted, 0, 5_000);
    expect(finding).toMatch(/planted.*seed: -?\d+/s);
    expect(finding).toContain('Counterexample');
  });
});
