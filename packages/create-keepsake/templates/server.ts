import { serve } from '@hono/node-server';
import { formatNamespace, MemoryManager } from '@keepsake/core';
import { Hono } from 'hono';
import * as agent from './agent.ts';
import { preview } from './preview.ts';
import { close, sessions, store } from './storage.ts';

// With an outbox, a turn that was answered is learned, even if the process is killed the moment after.
const memory = new MemoryManager({ stores: [store], outbox: store });
await memory.ready();
await memory.recover();

const hasKey = Boolean(process.env[agent.key]);
const reply = hasKey ? agent.reply : preview;
if (!hasKey) console.warn(`${agent.key} is not set: answers show what a model would read. Set it in .env and restart.`);

const app = new Hono();
app.post('/:user/:chat', async (context) => {
  // Your authentication must say who the user is. This believes the URL.
  const { user, chat } = context.req.param();
  const content = await context.req.text();
  if (content.trim() === '') return context.text('Send a message as the body.', 400);
  // An id with u:alice in it belongs to Alice: erasing her data finds it.
  const session = sessions.open(formatNamespace(['u', user, chat]));
  const { signal } = context.req.raw;
  return context.text(await reply({ content, session, thread: chat, memory: memory.for({ user }), signal }));
});
app.onError((error, context) => {
  console.error(error);
  return context.text('Something went wrong.', 500);
});

const port = Number(process.env.PORT ?? 3000);
// Only this machine reaches it, until you give it another address.
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => {
  console.log(`http://localhost:${address.port}`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    // Answers that are under way are finished, and everything that was said is saved.
    server.close(async () => {
      await memory.flush();
      await store.close();
      await close();
      process.exit();
    });
  });
}
