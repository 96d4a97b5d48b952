import { startProxy, type TcpProxy } from '@keepsake/services';
import { rounds } from '@keepsake/testing/share';
import { Cluster } from 'ioredis';
import { afterAll, describe, it } from 'vitest';
import { sharedCluster } from '../connections.ts';
import { expectEachChangeOnce, POINTS } from '../cut-links.ts';

const cluster = sharedCluster();
const opened: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of opened.toReversed()) await close();
});

/** A client of the cluster that reaches the nodes through proxies. */
async function clusterBehindProxies() {
  const proxies = await Promise.all(cluster.service.nodes.map((node) => startProxy(node)));
  const natMap = Object.fromEntries(
    cluster.service.nodes.map(({ host, port }, index) => [`${host}:${port}`, proxies[index] as TcpProxy]),
  );
  const client = new Cluster([...cluster.service.nodes], {
    natMap,
    // After a cut, the client asks other nodes, which redirect it back, many times on a busy processor.
    maxRedirections: 1_000,
    retryDelayOnFailover: 1,
    clusterRetryStrategy: () => 1,
  });
  client.on('error', () => {});
  opened.push(
    () => Promise.all(proxies.map((proxy) => proxy.stop())),
    () => client.disconnect(),
  );
  return { client, proxies };
}

describe.each(POINTS)('with the connection to a cluster cut at the %s', (point) => {
  it('each change is made exactly once', async () => {
    await expectEachChangeOnce(await clusterBehindProxies(), point, rounds(200, 14));
  });
});
