/**
 * Orders of an application and the memories of its agent in one PostgreSQL database, changed in one transaction:
 *
 * npm start -w examples/postgres-memory
 *
 * PGlite runs PostgreSQL in this process. With a server, pass a pool of `pg` or the `sql` of postgres.js in its place.
 */
import { PGlite } from '@electric-sql/pglite';
import { type PostgresClient, PostgresSession, PostgresStore, setup } from '@keepsake/postgres';

const db = await PGlite.create();
await db.exec('CREATE TABLE orders (customer text, dish text CHECK (dish <> $$Fugu$$))');
await setup(db, { schema: 'memory' });

await order('alice', 'Lasagne', 'Eats no meat');
await order('bob', 'Ramen', 'Likes it hot');
await order('alice', 'Fugu', 'Likes to live dangerously').catch(({ message }: Error) =>
  console.log(`Refused: ${message}`),
);

const { rows } = await db.query<{ customer: string; dish: string }>('SELECT customer, dish FROM orders');
console.log('Orders:', rows.map(({ customer, dish }) => `${dish} for ${customer}`).join(', '));
for (const customer of ['alice', 'bob']) {
  const { session, store } = memoryOf(customer, db);
  const found = await store.search('What does this guest like to eat?');
  console.log(`${customer}: ${found.map(({ content }) => content)}. Messages: ${(await session.getItems()).length}.`);
}
await db.close();

/** Takes an order, and remembers what was learned with it. The database does all of it, or nothing. */
async function order(customer: string, dish: string, learned: string): Promise<void> {
  await db.transaction(async (transaction) => {
    const { session, store } = memoryOf(customer, transaction);
    await session.addItems([{ role: 'user', content: `I would like ${dish}.` }]);
    await store.add(learned, { dish });
    await transaction.query('INSERT INTO orders VALUES ($1, $2)', [customer, dish]);
  });
}

/** The memory of a customer, as part of a transaction or on its own. */
function memoryOf(customer: string, client: PostgresClient) {
  return {
    session: new PostgresSession({ client, schema: 'memory', sessionId: `u:${customer}:orders` }),
    store: new PostgresStore({ client, schema: 'memory', name: 'facts', namespace: ['u', customer] }),
  };
}
