import { describe, expect, it } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { nightlyOnSqlite, sharedDatabase } from './databases.ts';
import { recordingClient, type Sent } from './recording-client.ts';

for (const kind of ['PostgreSQL', 'SQLite'] as const) {
  describe(`a large namespace on ${kind}`, nightlyOnSqlite(kind), () => {
    const shared = sharedDatabase(kind);

    it('is counted once for all stores of a client, and again when it was cleared', async () => {
      const sent: Sent[] = [];
      const prisma = recordingClient(shared.database.prisma, sent);
      const open = (namespace: string) => new PrismaStore({ prisma, name: 'memory', namespace: ['team', namespace] });
      const counted = () => sent.splice(0).filter(({ sql }) => sql.includes('AS "squares"')).length;
      for (const namespace of ['large', 'other']) {
        for (let from = 0; from < 2_500; from += 500) {
          await open(namespace).putMany(Array.from({ length: 500 }, (_, n) => ({ content: `heron ${from + n}` })));
        }
      }
      counted();
      for (const namespace of ['large', 'other']) {
        expect(await open(namespace).search('heron 7')).toHaveLength(10);
        expect(counted()).toBeGreaterThan(0);
        expect(await open(namespace).search('heron 8')).toHaveLength(10);
        expect(counted()).toBe(0);
      }
      await open('large').clear();
      await open('large').put({ content: 'a heron' });
      expect(await open('large').search('heron')).toHaveLength(1);
      expect(counted()).toBeGreaterThan(0);
      await open('other').search('heron');
      expect(counted()).toBe(0);
      await new PrismaStore({ prisma, name: 'memory', namespace: ['team'] }).clear({ descendants: true });
      expect(await open('other').search('heron')).toEqual([]);
      expect(counted()).toBeGreaterThan(0);
    }, 60_000);
  });
}
