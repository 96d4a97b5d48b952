import { type RedisServer, startProxy, type TcpProxy } from '@keepsake/services';
import { Cluster, Redis } from 'ioredis';
import { afterAll } from 'vitest';

/** A client whose connections all go through proxies. */
export interface ProxiedClient {
  readonly client: Redis | Cluster;
  readonly proxies: readonly TcpProxy[];
}

interface Address {
  readonly host: string;
  readonly port: number;
}

const opened: (() => unknown)[] = [];

/** Closes the proxies and clients after the tests of a file. */
export function endProxies(): void {
  afterAll(async () => {
    for (const close of opened.splice(0).toReversed()) await close();
  });
}

/** A client of the database of a server, behind a proxy. By default, it resends unanswered commands. */
export async function behindProxy(
  server: RedisServer,
  options: { maxRetriesPerRequest?: number } = {},
): Promise<ProxiedClient> {
  const proxy = await startProxy(server);
  const url = Object.assign(new URL(server.url), { host: `${proxy.host}:${proxy.port}` });
  const client = new Redis(url.href, { retryStrategy: () => 1, ...options });
  return keep({ client, proxies: [proxy] });
}

export async function clusterBehindProxies(nodes: readonly Address[]): Promise<ProxiedClient> {
  const proxies = await Promise.all(nodes.map((node) => startProxy(node)));
  const natMap = Object.fromEntries(
    nodes.map(({ host, port }, index) => [`${host}:${port}`, proxies[index] as TcpProxy]),
  );
  const client = new Cluster([...nodes], {
    natMap,
    clusterRetryStrategy: () => 1,
    // After a cut, the client asks other nodes, which redirect it back.
    maxRedirections: 1_000,
  });
  return keep({ client, proxies });
}

function keep(proxied: ProxiedClient): ProxiedClient {
  const { client, proxies } = proxied;
  client.on('error', () => {});
  opened.push(
    () => Promise.all(proxies.map((proxy) => proxy.stop())),
    () => client.disconnect(),
  );
  return proxied;
}
