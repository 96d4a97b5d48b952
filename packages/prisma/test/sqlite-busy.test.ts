import { createClient } from '@libsql/client';
import { expect, it } from 'vitest';
import { PrismaSession } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';

const shared = sharedDatabase('SQLite');

it('what is written after another process held SQLite is there for all, and not lost', async () => {
  const { prisma, url, connect } = shared.database;
  const session = new PrismaSession({ prisma, sessionId: 's' });
  await session.addItems([{ number: 0 }]);
  const other = createClient({ url });
  for (let number = 1; number <= 5; number++) {
    const holding = await other.transaction('write');
    const adding = session.addItems([{ number }]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await holding.commit();
    await adding;
    const seen = await new PrismaSession({ prisma: connect(), sessionId: 's' }).getItems();
    expect(seen).toHaveLength(number + 1);
  }
  other.close();
});
