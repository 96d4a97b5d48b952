import { show } from '@keepsake/testing/torture/figures';
import { describe, it } from 'vitest';
import { sharedCluster, sharedRedis } from '../connections.ts';
import { canBeRetried, POINTS, survives } from '../cut-store-links.ts';
import { behindProxy, clusterBehindProxies, endProxies } from '../proxies.ts';

const single = sharedRedis();
const cluster = sharedCluster();
endProxies();

describe.each(POINTS)('a link that is cut (at the %s)', (point) => {
  it('200 times: every change of records is done once', async (context) => {
    await survives(await behindProxy(single.service), point, 203);
    show(context, 6, `store, link cut 203 times at the ${point}: each change done once`);
  });

  it('70 times on a cluster: every change of records is done once', async (context) => {
    await survives(await clusterBehindProxies(cluster.service.nodes), point, 70);
    show(context, 6, `store on a cluster, link cut 70 times at the ${point}: each change done once`);
  });

  it('200 times: what was not sent again is whole or undone, and OUTCOME_UNKNOWN', async (context) => {
    await canBeRetried(await behindProxy(single.service, { maxRetriesPerRequest: 0 }), point, 201);
    show(
      context,
      6,
      `store, link cut 201 times at the ${point}, not sent again: whole or undone, a retry does it once`,
    );
  });
});
