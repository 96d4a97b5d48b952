import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * When a connection is cut: before a request reaches the server; after the server has replied but before the reply reaches
 * the client; or after half of the reply.
 */
export type CutPoint = 'request' | 'reply' | 'half-reply';

/** Where a server listens. */
interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** A proxy between a client and a server that can break their connections. */
export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  /** Breaks all connections. New ones are accepted. */
  cut(): void;
  /**
   * Breaks all connections once, at the next request that contains `text` or at its reply. Resolves afterwards.
   *
   * One read from a socket counts as one request or reply, which is true for short ones as in tests. With several requests
   * in flight on one connection, the first reply counts.
   */
  cutAt(point: CutPoint, text?: string): Promise<void>;
  /** Holds back all data in both directions. Connections stay open, and new ones are accepted. */
  pause(): void;
  resume(): void;
  /** Connects to another server from now on. Breaks all connections. */
  switchTo(server: ServerAddress): void;
  /** Breaks all connections and accepts no more. */
  stop(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/** A pending cut; `link` is the connection of its request, once it has arrived. */
interface PlannedCut {
  readonly point: CutPoint;
  readonly text: string;
  readonly done: () => void;
  link?: Link;
}

/** Starts a proxy for a server on a free port of 127.0.0.1. The server does not have to be running. */
export async function startProxy(server: ServerAddress): Promise<TcpProxy> {
  let target = server;
  const links = new Set<Link>();
  let plan: PlannedCut | undefined;
  let paused = false;

  const cut = () => {
    for (const { client, server } of links) {
      client.destroy();
      server.destroy();
    }
    links.clear();
  };
  const cutAsPlanned = ({ done }: PlannedCut) => {
    plan = undefined;
    cut();
    done();
  };

  function forwardRequest(link: Link, bytes: Buffer): void {
    if (plan !== undefined && plan.link === undefined && bytes.includes(plan.text)) {
      plan.link = link;
    }
    if (plan?.link === link && plan.point === 'request') cutAsPlanned(plan);
    else link.server.write(bytes);
  }

  function forwardReply(link: Link, bytes: Buffer): void {
    const planned = plan;
    if (planned?.link !== link) link.client.write(bytes);
    else if (planned.point === 'reply') cutAsPlanned(planned);
    else {
      link.server.pause();
      link.client.write(bytes.subarray(0, bytes.length / 2), () => cutAsPlanned(planned));
    }
  }

  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const link = { client, server: connect({ host: target.host, port: target.port, allowHalfOpen: true }) };
    links.add(link);
    passOn(client, link.server, (bytes) => forwardRequest(link, bytes));
    passOn(link.server, client, (bytes) => forwardReply(link, bytes));
    client.on('close', () => links.delete(link));
    if (paused) pauseLink(link);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { address, port } = listener.address() as AddressInfo;

  return {
    host: address,
    port,
    cut,
    cutAt(point, text = '') {
      const { promise, resolve } = Promise.withResolvers<void>();
      plan = { point, text, done: resolve };
      return promise;
    },
    pause() {
      paused = true;
      links.forEach(pauseLink);
    },
    resume() {
      paused = false;
      for (const { client, server } of links) {
        client.resume();
        server.resume();
      }
    },
    switchTo(server) {
      target = server;
      cut();
    },
    async stop() {
      const closed = once(listener, 'close');
      listener.close();
      cut();
      await closed;
    },
  };
}

/** A clean end is passed on after the preceding data. A broken connection breaks the other one. */
function passOn(from: Socket, to: Socket, forward: (bytes: Buffer) => void): void {
  from.setNoDelay(true);
  from.on('data', forward);
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
}

function pauseLink({ client, server }: Link): void {
  client.pause();
  server.pause();
}
