import { createServer as createPlainServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2Session } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';

/** A server that speaks HTTP/2 without TLS and HTTP/1.1 on the same port, depending on the client's first bytes. */
export function createDualServer(listener: RequestListener): Server & { closeAllConnections(): void } {
  const plain = createPlainServer(listener);
  // On Node 22, the `socket` of a session can't be destroyed.
  const socketOf = new WeakMap<Http2Session, Socket>();
  const http2 = createHttp2Server((request, response) => {
    const { session } = response.stream;
    const socket = session && socketOf.get(session);
    // Destroying a response breaks its connection, as with HTTP/1.1.
    const destroy = () => socket?.destroy();
    listener(request as never, Object.assign(response, { destroy }) as unknown as ServerResponse as never);
  });
  // A client can disconnect at any time.
  http2.on('sessionError', () => {});
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    socket.once('readable', () => {
      const first: Buffer | null = socket.read();
      if (first === null) return;
      socket.unshift(first);
      if (!first.toString('latin1').startsWith('PRI')) {
        plain.emit('connection', socket);
        return;
      }
      http2.once('session', (session) => socketOf.set(session, socket));
      http2.emit('connection', socket);
    });
  });
  return Object.assign(server, {
    closeAllConnections() {
      for (const socket of sockets) socket.destroy();
    },
  });
}
