import { expect, it } from 'vitest';
import { PrismaSession, PrismaStore } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';

const shared = sharedDatabase('SQLite');

/** Far more calls than fit into the time between two turns of the event loop. */
const MOST = 500;

it('timers fire while calls on SQLite are awaited one after the other', async () => {
  const { prisma } = shared.database;
  const store = new PrismaStore({ prisma, name: 'memory', namespace: ['event loop'] });
  const session = new PrismaSession({ prisma, sessionId: 'event loop' });
  await store.put({ id: 'a', content: 'heron' });
  await session.addItems([{ text: 'heron' }]);
  const calls = {
    get: () => store.get('a'),
    list: () => store.list(),
    put: () => store.put({ id: 'b', content: 'tern' }),
    getItems: () => session.getItems(),
    addItems: () => session.addItems([{ text: 'tern' }]),
  };
  for (const [name, call] of Object.entries(calls)) {
    let hasFired = false;
    setTimeout(() => {
      hasFired = true;
    });
    for (let n = 0; n < MOST && !hasFired; n++) await call();
    expect(hasFired, name).toBe(true);
  }
});
