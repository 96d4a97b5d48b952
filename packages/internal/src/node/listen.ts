import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Has a server listen, and returns its origin, such as `http://127.0.0.1:8080`. Rejects if it can't listen. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}

/** Stops listening, lets requests in progress end, and waits for that. */
export async function closeServer(server: Server, endStreams: () => Promise<void>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await endStreams();
  server.closeIdleConnections();
  await closed;
}
