import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream';
import { createWebSocketStream, WebSocketServer } from 'ws';

/** Carries connections to PostgreSQL over WebSockets, as Neon's proxy does. The query `address` says where to. */
export async function startProxy() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket, { url = '' }) => {
    const [host = '', port] = new URL(url, 'ws://proxy').searchParams.get('address')?.split(':') ?? [];
    const web = createWebSocketStream(socket);
    const database = connect(Number(port), host);
    const ended = () => {};
    pipeline(web, database, ended);
    pipeline(database, web, ended);
  });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
