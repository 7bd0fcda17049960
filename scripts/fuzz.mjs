// Tries what strangers may send: `npm run fuzz -- --minutes 5` for each target, `npm run fuzz -- --minutes 5 json` for one.
// LIMPEDE_TEST_SEED repeats a run; a finding is printed with its seed and its smallest input.
import { runCampaign } from './campaign.mjs';

runCampaign('fuzz', 'test/fuzz/fuzz.test.ts', 'LIMPEDE_FUZZ_MINUTES');
