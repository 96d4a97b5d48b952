import { largeBatch, turnsUntil } from '@keepsake/suites/stores/large-batches';
import { stepClock } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';

const shares = { PostgreSQL: sharedDatabase('PostgreSQL'), SQLite: sharedDatabase('SQLite') };

it.for(['PostgreSQL', 'SQLite'] as const)(
  'the event loop turns while the texts of a large batch are analysed, before %s gets them',
  async (kind) => {
    const shared = shares[kind];
    let isUsed = false;
    const prisma = new Proxy(shared.database.prisma, {
      get(target, name) {
        isUsed = true;
        return Reflect.get(target, name);
      },
    });
    const store = new PrismaStore({ prisma, name: 'memory', namespace: ['large batches'] });
    isUsed = false;
    stepClock(6);
    const put = store.putMany(largeBatch());
    expect(await turnsUntil(() => isUsed)).toBeGreaterThan(10);
    await put;
    expect((await store.search('w9x9')).map(({ id }) => id)).toEqual(['9']);
  },
);
