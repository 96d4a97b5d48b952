import { createServer as createPlainServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerResponse } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';

/** A server that speaks HTTP/2 without TLS to whoever begins with it, and HTTP/1.1 to all others, on one port. */
export function createDualServer(listener: RequestListener): Server & { closeAllConnections(): void } {
  const plain = createPlainServer(listener);
  const http2 = createHttp2Server((request, response) =>
    listener(request as never, breakable(response) as unknown as ServerResponse as never),
  );
  // A client may go away at any time.
  http2.on('sessionError', () => {});
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    socket.once('readable', () => {
      const first: Buffer | null = socket.read();
      if (first === null) return;
      socket.unshift(first);
      (first.toString('latin1').startsWith('PRI') ? http2 : plain).emit('connection', socket);
    });
  });
  return Object.assign(server, {
    closeAllConnections() {
      for (const socket of sockets) socket.destroy();
    },
  });
}

/** Where a response is destroyed, its connection breaks, as with HTTP/1.1. */
function breakable(response: Http2ServerResponse): Http2ServerResponse {
  return Object.assign(response, { destroy: () => response.stream.session?.socket.destroy() });
}
