import { rounds } from '@keepsake/testing/share';
import { show } from '@keepsake/testing/torture/figures';
import { describe, it } from 'vitest';
import { sharedCluster, sharedRedis } from '../connections.ts';
import { expectEachChangeOnce, expectSafeRetries, POINTS } from '../cut-store-links.ts';
import { behindProxy, clusterBehindProxies, endProxies } from '../proxies.ts';

const single = sharedRedis();
const cluster = sharedCluster();
endProxies();

// There are seven kinds of changes, some with three variants.
const [ON_ONE, ON_CLUSTER, NOT_RESENT] = [rounds(203, 21), rounds(70, 21), rounds(201, 21)];

describe.each(POINTS)('with the connection cut at the %s', (point) => {
  it(`${ON_ONE} times, each change of records is made exactly once`, async (context) => {
    await expectEachChangeOnce(await behindProxy(single.service), point, ON_ONE);
    show(context, 6, `store, connection cut ${ON_ONE} times at the ${point}: each change made once`);
  });

  it(`${ON_CLUSTER} times on a cluster, each change of records is made exactly once`, async (context) => {
    await expectEachChangeOnce(await clusterBehindProxies(cluster.service.nodes), point, ON_CLUSTER);
    show(context, 6, `store on a cluster, connection cut ${ON_CLUSTER} times at the ${point}: each change made once`);
  });

  it(`${NOT_RESENT} times without resending, changes are made fully or not at all and reject with OUTCOME_UNKNOWN`, async (context) => {
    await expectSafeRetries(await behindProxy(single.service, { maxRetriesPerRequest: 0 }), point, NOT_RESENT);
    show(
      context,
      6,
      `store, connection cut ${NOT_RESENT} times at the ${point}, not resent: made fully or not at all, once after a retry`,
    );
  });
});
