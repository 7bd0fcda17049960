import { expect, it } from 'vitest';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { eventually } from '../../../patience.ts';
import { startAnalysis } from './running-analysis.ts';

const TEXT = 'The council has bought 12 buses. Share this before it is deleted, they hide the truth!';

forEachEngine((engine) => {
  it('each process works on its queues only', async () => {
    const api = await startAnalysis(engine.database(), { ANALYSIS_ROLE: 'api' });
    const techniques = await startAnalysis(engine.database(), {
      ANALYSIS_ROLE: 'worker',
      ANALYSIS_COMPONENTS: 'techniques',
    });
    const accepted = await api.ask('POST', '/api/v3/pipeline/analyze-async', {
      body: { media_type: 'text', text: TEXT },
    });
    expect(accepted.status).toBe(202);
    const path = `/api/v3/pipeline/sessions/${accepted.body.data.session_id}`;
    const status = async () => (await api.ask('GET', `${path}/status`)).body.data;
    await eventually(async () => expect((await status()).completed_components).toEqual(['techniques']));
    expect((await status()).status).toBe('running');
    const rest = await startAnalysis(engine.database(), {
      ANALYSIS_ROLE: 'worker',
      ANALYSIS_COMPONENTS: 'material,ai_tampered,claims,domain,verdict,results',
    });
    await eventually(async () => expect((await status()).status).toBe('completed'));
    for (const service of [rest, techniques, api]) await service.close();
  });
});
