import type { PostgresServer } from '@keepsake/services';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PrismaSession, PrismaStore } from '../../src/index.ts';
import { migratePostgres, PARTITIONS, postgresDatabase, sharedDatabase } from '../databases.ts';
import { describeSessions } from '../session-kit.ts';
import { describeStores } from '../store-kit.ts';

describe('tables that partitions.sql has replaced', () => {
  const shared = sharedDatabase('partitioned PostgreSQL');

  it('keep records and items, which a second run does not lose', async () => {
    const { prisma, url } = shared.database;
    const store = new PrismaStore({ prisma, name: 'memories' });
    await store.putMany([
      { id: 'a', content: 'An otter' },
      { id: 'b', content: 'A heron' },
    ]);
    await store.delete('b');
    expect((await store.search('otter heron')).map(({ id }) => id)).toEqual(['a']);
    const session = new PrismaSession({ prisma, sessionId: 'chat' });
    await session.addItems([{ text: 'Hello' }]);
    await migratePostgres(url, [PARTITIONS]);
    expect(await session.getItems()).toEqual([{ text: 'Hello' }]);
    const invalid = await prisma.$queryRaw`SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid`;
    expect(invalid).toEqual([]);
  });

  it('refuse to be made of a table with rows, which stay', async () => {
    const { url: own, prisma, stop } = await postgresDatabase(shared.server as PostgresServer);
    onTestFinished(stop);
    const session = new PrismaSession({ prisma, sessionId: 'chat' });
    await session.addItems([{ text: 'Hello' }]);
    await expect(migratePostgres(own, [PARTITIONS])).rejects.toThrow('has rows');
    expect(await session.getItems()).toEqual([{ text: 'Hello' }]);
  });
});

describe('the whole kit', { tags: 'nightly' }, () => {
  describeStores('partitioned PostgreSQL');
  describeSessions('partitioned PostgreSQL');
});
