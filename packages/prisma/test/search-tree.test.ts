import type { Embedder, RecordStore } from '@keepsake/core';
import { describeSearchTree, WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { describe, expect, it } from 'vitest';
import { type PrismaLike, PrismaStore } from '../src/index.ts';
import { type DatabaseKind, nightlyOnSqlite, sharedDatabase } from './databases.ts';

for (const kind of ['PostgreSQL', 'SQLite'] satisfies DatabaseKind[]) {
  describe(`On ${kind},`, nightlyOnSqlite(kind), () => {
    const shared = sharedDatabase(kind);
    const open = (namespace: readonly string[], prisma: PrismaLike = shared.database.prisma) =>
      new PrismaStore({ prisma, name: 'memory', namespace });

    // By day, a tree is compared with an InMemoryStore: see the tests of ranking.
    describe('PrismaStore', { tags: ['nightly'] }, () => describeSearchTree('PrismaStore', open));

    it('a search with descendants ranks like a single namespace, even with more speakers than it reads names of', async () => {
      const [flat, tree] = [open(['flat', 'speakers']), open(['tree', 'speakers'])];
      for (let n = 0; n < 300; n += 100) {
        const turns = Array.from({ length: 100 }, (_, index) => ({
          id: `${n + index}`,
          content: n + index === 7 ? 'We saw a heron' : 'We saw a boat',
          turn: { thread: `${n + index}`, index: 0, speaker: `Speaker${n + index}` },
        }));
        await flat.putMany(turns);
        await tree.within([`${n}`]).putMany(turns);
      }
      const query = 'What did Speaker7 say about a heron?';
      const scoresOf = async (store: RecordStore, descendants: boolean) => {
        const entries = await store.search(query, { descendants });
        return entries.map(({ id, score }) => [id, score?.toFixed(9)]);
      };
      expect(await scoresOf(tree, true)).toEqual(await scoresOf(flat, false));
      expect(await scoresOf(tree, true)).toHaveLength(1);
    });

    it('a search with descendants leaves out a record that is deleted before it is read', async () => {
      const { prisma } = shared.database;
      const contents = ['heron', 'grey heron', 'heron of the cold river', 'heron and reed of the cold, deep river'];
      for (const [n, content] of contents.entries()) {
        await open(['deleted', `${n % 2}`]).put({ id: `${n}`, content });
      }
      const before = await open(['deleted']).search('heron', { descendants: true });
      const deleting: PrismaLike = {
        $executeRawUnsafe: (sql, ...values) => prisma.$executeRawUnsafe(sql, ...values),
        async $queryRawUnsafe(sql, ...values) {
          if (sql.includes('"content"')) await open(['deleted', '0']).delete('0');
          return prisma.$queryRawUnsafe(sql, ...values);
        },
      };
      expect(before.map(({ id }) => id)).toEqual(['0', '1', '2', '3']);
      expect(await open(['deleted'], deleting).search('heron', { descendants: true })).toEqual(before.slice(1));
    });
  });
}

describe('With an embedder,', { tags: ['nightly'] }, () => {
  const shared = sharedDatabase('PGlite');
  const open = (namespace: readonly string[], embedder = WORD_EMBEDDER) =>
    new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace, embedder });

  describeSearchTree('PrismaStore', open);

  it('a search with descendants embeds the query once', async () => {
    const texts: string[] = [];
    const embedder: Embedder = {
      ...WORD_EMBEDDER,
      embed(given) {
        texts.push(...given);
        return WORD_EMBEDDER.embed(given);
      },
    };
    for (const place of ['a', 'b', 'c']) await open(['once', place]).put({ id: place, content: 'cold river' });
    const entries = await open(['once'], embedder).search('a deep river', { descendants: true });
    expect(entries.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c']);
    expect(texts).toEqual(['a deep river']);
  });
});
