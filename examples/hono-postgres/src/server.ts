import { serve } from '@hono/node-server';
import { formatNamespace, MemoryManager, type Message, recentItems } from '@keepsake/core';
import { PostgresSession, PostgresStore } from '@keepsake/postgres';
import { desc, eq, sql } from 'drizzle-orm';
import { Hono } from 'hono';
import { answer } from './answer.ts';
import { chats, db, pool, transaction } from './database.ts';

const schema = 'memory';
const store = new PostgresStore({ client: pool, schema, name: 'chats', extraction: true });
// With an outbox, a turn that was answered is learned, even if the process is killed the moment after.
const memory = new MemoryManager({ stores: [store], outbox: store });
await memory.ready();
await memory.recover();

const app = new Hono();
app.post('/:user/:chat', async (context) => {
  // Your authentication says who the user is.
  const { user, chat } = context.req.param();
  const content = await context.req.text();
  if (content.trim() === '') return context.text('Send a message as the body.', 400);
  const said: Message = { role: 'user', content };
  // An id with u:alice in it belongs to Alice: erasing her data finds it.
  const sessionId = formatNamespace(['u', user, chat]);
  await transaction(async (client, own) => {
    await new PostgresSession({ client, schema, sessionId }).addItems([said]);
    await own
      .insert(chats)
      .values({ user, chat, title: content.slice(0, 60) })
      .onConflictDoUpdate({ target: [chats.user, chats.chat], set: { updatedAt: sql`now()` } });
  });
  const session = new PostgresSession({ client: pool, schema, sessionId });
  const messages = (await recentItems(session, { maxTurns: 20 })) as Message[];
  const reply = await memory.for({ user }).turn({ thread: chat, messages, answer, signal: context.req.raw.signal });
  await session.addItems([{ role: 'assistant', content: reply }]);
  return context.text(reply);
});
app.get('/:user', async (context) => {
  const ofUser = eq(chats.user, context.req.param('user'));
  return context.json(await db.select().from(chats).where(ofUser).orderBy(desc(chats.updatedAt)));
});
app.onError((error, context) => {
  console.error(error);
  return context.text('Something went wrong.', 500);
});

const port = Number(process.env.PORT ?? 3000);
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => {
  console.log(`http://localhost:${address.port}`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close(async () => {
      await memory.flush();
      await store.close();
      await pool.end();
      process.exit();
    });
  });
}
