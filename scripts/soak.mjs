// Works the platform under faults and judges whether it levels off: `npm run soak -- --minutes 30`.
import { runCampaign } from './campaign.mjs';

runCampaign('soak', 'test/soak', 'LIMPEDE_SOAK_MINUTES');
