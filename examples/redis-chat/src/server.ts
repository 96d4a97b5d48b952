/** A process of the chat server. It prints its port, and answers a text that is POSTed to /USER. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Redis } from 'ioredis';
import { answer } from './chat.ts';

// One client for all users, sessions and stores. You own it: Keepsake never closes it.
const client = new Redis(process.argv[2] ?? 'redis://127.0.0.1:6379', {
  // While Redis is down, a call says so within a second.
  maxRetriesPerRequest: 1,
  retryStrategy: (attempt) => Math.min(attempt * 50, 400),
});
// Without a listener, ioredis prints every attempt to connect.
client.on('error', () => {});

const server = createServer(async (request, response) => {
  try {
    const user = decodeURIComponent((request.url ?? '/').slice(1));
    const said = await text(request);
    if (said.trim() === '') response.writeHead(400).end('Send a message as the body.');
    else response.end(await answer(client, user, said));
  } catch (error) {
    console.error(error);
    response.writeHead(500).end('Something went wrong.');
  }
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log((server.address() as AddressInfo).port);
