import { show } from '@keepsake/testing/torture/figures';
import { rounds } from '@keepsake/testing/torture/share';
import { describe, it } from 'vitest';
import { sharedCluster, sharedRedis } from '../connections.ts';
import { canBeRetried, POINTS, survives } from '../cut-store-links.ts';
import { behindProxy, clusterBehindProxies, endProxies } from '../proxies.ts';

const single = sharedRedis();
const cluster = sharedCluster();
endProxies();

// Changes of seven kinds, some of them in three ways.
const [ON_ONE, ON_CLUSTER, NOT_SENT_AGAIN] = [rounds(203, 21), rounds(70, 21), rounds(201, 21)];

describe.each(POINTS)('a link that is cut (at the %s)', (point) => {
  it(`${ON_ONE} times: every change of records is done once`, async (context) => {
    await survives(await behindProxy(single.service), point, ON_ONE);
    show(context, 6, `store, link cut ${ON_ONE} times at the ${point}: each change done once`);
  });

  it(`${ON_CLUSTER} times on a cluster: every change of records is done once`, async (context) => {
    await survives(await clusterBehindProxies(cluster.service.nodes), point, ON_CLUSTER);
    show(context, 6, `store on a cluster, link cut ${ON_CLUSTER} times at the ${point}: each change done once`);
  });

  it(`${NOT_SENT_AGAIN} times: what was not sent again is whole or undone, and OUTCOME_UNKNOWN`, async (context) => {
    await canBeRetried(await behindProxy(single.service, { maxRetriesPerRequest: 0 }), point, NOT_SENT_AGAIN);
    show(
      context,
      6,
      `store, link cut ${NOT_SENT_AGAIN} times at the ${point}, not sent again: whole or undone, a retry does it once`,
    );
  });
});
