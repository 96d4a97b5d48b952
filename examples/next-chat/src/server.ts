/** Serves the route handlers without Next.js, on a free port, which it prints. Ends when its standard input ends. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { GET } from '../app/api/chat/[id]/route.ts';
import { POST } from '../app/api/chat/route.ts';
import { memory } from './chat.ts';

async function route(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, id] = /^\/api\/chat\/([^/]+)$/.exec(pathname) ?? [];
  if (request.method === 'POST' && pathname === '/api/chat') return POST(request);
  if (request.method === 'GET' && id !== undefined) {
    return GET(request, { params: Promise.resolve({ id: decodeURIComponent(id) }) });
  }
  return new Response('Not found', { status: 404 });
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = incoming;
  const body = method === 'POST' ? await text(incoming) : null;
  const names = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  const response = await route(new Request(new URL(url, 'http://127.0.0.1'), { method, headers: names, body }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  await pipeline(Readable.from(response.body ?? []), outgoing);
}

const server = createServer((incoming, outgoing) => {
  // A client that disconnects is no failure of the server.
  serve(incoming, outgoing).catch(() => outgoing.destroy());
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

process.stdin.resume().on('end', async () => {
  await memory.close();
  process.exit();
});
