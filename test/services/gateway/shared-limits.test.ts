import { expect, it } from 'vitest';
import { MOUNTS } from '../../../src/services/gateway/mounts.ts';
import { emptyHome } from '../../foundation/database/engines.ts';
import { describeRedis, openTestRedis } from '../../foundation/redis/server.ts';
import { listen, listenIdentity, startGateway, tokenOf } from './behind.ts';

describeRedis('gateways that share Redis', () => {
  it('share the limit of a caller, and go on apart when Redis is gone', async () => {
    const place = emptyHome();
    const redis = await openTestRedis();
    const identity = await listenIdentity(place.home);
    const analysis = await listen((_request, response) => response.end('{}'));
    const settings = {
      IDENTITY_URL: identity.url,
      ANALYSIS_URL: analysis.url,
      GATEWAY_RATE_LIMIT_RPS: '0.01',
      GATEWAY_RATE_LIMIT_BURST: '6',
    };
    const gateways = await Promise.all([0, 1].map(() => startGateway(place.home, settings, MOUNTS, redis)));
    const headers = { authorization: `Bearer ${await tokenOf(place.home)}` };
    const use = async (turn: number) =>
      (await fetch(`${gateways[turn % 2]?.url}/agent-v3/x`, { headers })).status;
    try {
      const statuses: number[] = [];
      for (let turn = 0; turn < 8; turn++) statuses.push(await use(turn));
      expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
      await redis.close();
      expect([await use(0), await use(1)]).toEqual([200, 200]);
    } finally {
      await Promise.all([...gateways, identity, analysis, redis].map((each) => each.close()));
      await place.remove();
    }
  });
});
