import fc from 'fast-check';
import { inject } from 'vitest';
import { runs } from './campaign.ts';

// Before each file: all properties follow from the seed of the run, and a long run tries more cases of each.
const DEFAULT_RUNS = 100;
fc.configureGlobal({ seed: inject('campaigns').seed, numRuns: runs(DEFAULT_RUNS) });
