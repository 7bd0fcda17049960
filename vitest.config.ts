import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BRIEF_PROCESS } from './test/brief-process.ts';
import { LongFirst } from './test/sequencer.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    setupFiles: ['test/properties.ts'],
    // Tests start hundreds of programs, and each start copies the page tables of its process and write-protects its memory: 35 ms of
    // processor time for a process of 1 GB, 0.3 s with the pages that it writes next. Processes of their own are a third of one of threads.
    pool: 'forks',
    execArgv: [...BRIEF_PROCESS],
    isolate: false,
    sequence: { sequencer: LongFirst },
    // Most tests wait for others, so two files more than there are processors run at once.
    maxWorkers: availableParallelism() + 2,
    // Only tell a failure from a hang: nothing may depend on how fast the machine is.
    testTimeout: process.env.LIMPEDE_TEST_LONG === 'true' ? 7_200_000 : 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
  },
});
