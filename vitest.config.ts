import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/sequencer.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    setupFiles: ['test/properties.ts'],
    pool: 'threads',
    isolate: false,
    sequence: { sequencer: LongFirst },
    // Most tests wait for others, so one file more than there are processors: a suite on two kept a quarter of them idle.
    maxWorkers: availableParallelism() + 1,
    // Only tell a failure from a hang: nothing may depend on how fast the machine is.
    testTimeout: process.env.LIMPEDE_TEST_LONG === 'true' ? 7_200_000 : 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
  },
});
