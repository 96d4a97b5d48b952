import { startProxy, type TcpProxy } from '@keepsake/services';
import { rounds } from '@keepsake/testing/torture/share';
import { Cluster } from 'ioredis';
import { afterAll, describe, it } from 'vitest';
import { sharedCluster } from '../connections.ts';
import { POINTS, survives } from '../cut-links.ts';

const cluster = sharedCluster();
const opened: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of opened.toReversed()) await close();
});

/** A client of the cluster that knows its nodes as proxies. */
async function clusterBehindProxies() {
  const proxies = await Promise.all(cluster.service.nodes.map((node) => startProxy(node)));
  const natMap = Object.fromEntries(
    cluster.service.nodes.map(({ host, port }, index) => [`${host}:${port}`, proxies[index] as TcpProxy]),
  );
  const client = new Cluster([...cluster.service.nodes], {
    natMap,
    // It asks others meanwhile, which lead it back: with a busy processor many times.
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

describe.each(POINTS)('a link to a cluster that is cut (at the %s)', (point) => {
  it('never has a change done twice, half or not at all', async () => {
    await survives(await clusterBehindProxies(), point, rounds(200, 14));
  });
});
