import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../src/node.ts';

const HEADER = 'GET / HTTP/1.1\r\nHost: localhost\r\n';

/** Sends a text over a connection of its own, and returns what came back once the server has closed it. */
async function send(origin: string, text: string) {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (part) => {
    received += part;
  });
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  // A reset, which comes as an error before it, is an end, too.
  const closed = new Promise<string>((resolve) => void socket.once('close', () => resolve(received)));
  socket.on('error', () => {});
  return { closed, socket };
}

it.each([
  ['nothing', ''],
  ['half a header', HEADER],
  ['half a body', `POST${HEADER.slice(3)}Content-Length: 10\r\n\r\nhalf`],
])('a server ends although a client sent %s and keeps the connection open', async (_, text) => {
  const { origin, close } = await serve(async (request) => new Response(await request.text()), {
    ...{ port: 0, host: '127.0.0.1', grace: 50 },
  });
  const { closed } = await send(origin, text);
  await close();
  expect(await closed).toBe('');
});

it('a server that ends answers the requests in progress first, and waits for no connection without one', async () => {
  const started = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const { origin, close } = await serve(
    async ({ url }) => {
      if (!url.endsWith('/slow')) return new Response('fast');
      started.resolve();
      await answer.promise;
      return new Response('slow');
    },
    { port: 0, host: '127.0.0.1', grace: 60_000 },
  );
  const idle = await send(origin, `${HEADER}\r\n`);
  await once(idle.socket, 'data');
  const slow = await send(origin, `${HEADER.replace('/', '/slow')}\r\n`);
  await started.promise;
  const ended = close();
  expect(await idle.closed).toContain('fast');
  answer.resolve();
  await ended;
  expect(await slow.closed).toContain('slow');
});

it('a server ends its long answers', async () => {
  const end = Promise.withResolvers<void>();
  const stream = () =>
    new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('first'));
        await end.promise;
        controller.close();
      },
    });
  const { origin, close } = await serve(async () => new Response(stream()), {
    ...{ port: 0, host: '127.0.0.1', grace: 60_000 },
  });
  const { closed, socket } = await send(origin, `${HEADER}\r\n`);
  await once(socket, 'data');
  await close(async () => end.resolve());
  expect(await closed).toContain('first');
});
