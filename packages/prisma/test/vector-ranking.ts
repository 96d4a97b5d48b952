import type { Embedder } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrismaStore, type PrismaStoreOptions } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { conversations, expectScores, FILTERS, longTalk, QUERIES, toRecord } from './ranking-inputs.ts';

/** Ranking by vectors on PGlite, which has pgvector. */
export function describeVectorRanking(): void {
  describe('PrismaStore with an embedder', () => {
    const shared = sharedDatabase('PGlite');
    let run = 0;
    const open = (own: Partial<PrismaStoreOptions> = {}) =>
      new PrismaStore({
        prisma: shared.database.prisma,
        name: 'memory',
        namespace: [`${++run}`],
        embedder: fakeEmbedder,
        ...own,
      });
    const inMemory = (embedder = fakeEmbedder) => new InMemoryStore({ name: 'memory', embedder });

    it('finds the same as InMemoryStore, with the same scores', async () => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(conversations, async (generated) => {
          const [memory, store] = [inMemory(), open()];
          const records = generated.map(toRecord);
          for (const one of [memory, store]) {
            await one.putMany(records);
            await one.delete('3');
          }
          for (const [n, query] of [...QUERIES, '?!'].entries()) {
            const options = { maxSearchResults: 1_000, ...FILTERS[n % FILTERS.length] };
            const entries = await store.search(query, options);
            // pgvector calculates with 32 bits.
            expectScores(entries, await memory.search(query, options), 1e-5, query);
            found += entries.length;
          }
        }),
        { numRuns: rounds(10) },
      );
      expect(found).toBeGreaterThan(rounds(1_000));
    });

    it('finds the same as InMemoryStore when ranking considers only a part of a conversation', {
      tags: ['nightly'],
    }, async () => {
      const [memory, store] = [inMemory(), open()];
      for (const one of [memory, store]) await one.putMany(longTalk(1_500));
      for (const query of ['tea in the harbour', 'What did you recommend about the guitar?', 'nothing like it']) {
        const [entries, expected] = [await store.search(query), await memory.search(query)];
        expect(entries).toHaveLength(10);
        expectScores(entries, expected, 1e-5, query);
      }
    });

    it('ranks by meaning and words, and explains both', async () => {
      const store = open();
      await store.putMany(['tea', 'green paint', 'boats', 'windows'].map((content) => ({ id: content, content })));
      const [first] = await store.search('tea', { explain: true });
      expect(first).toMatchObject({ id: 'tea', explanation: { sum: { words: expect.any(Number) } } });
      expect(first?.explanation?.sum.meaning).toBeGreaterThan(0);
      // Found by meaning only.
      expect((await store.search('aet')).map(({ id }) => id)).toEqual(['tea', 'green paint', 'boats', 'windows']);
    });

    it('uses the mean of all vectors in the namespace, not only of those that pass the filter', async () => {
      const [memory, store] = [inMemory(), open()];
      const contents = ['tea', 'teas', 'eat', 'boat', 'paint', 'windows', 'gulf', 'fjord'];
      for (const one of [memory, store]) {
        await one.putMany(contents.map((content, n) => ({ id: content, content, metadata: { even: n % 2 === 0 } })));
      }
      const options = { filter: { even: true } };
      const [entries, expected] = [await store.search('aet', options), await memory.search('aet', options)];
      expect(expected.length).toBeGreaterThan(1);
      expectScores(entries, expected, 1e-5, 'aet');
    });

    it('finds by meaning what passes the filter, however many other records are nearer', async () => {
      const store = open();
      const near = Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, content: 'tea', metadata: { near: true } }));
      await store.putMany([...near, { id: 'far', content: 'zebra', metadata: { near: false } }]);
      const entries = await store.search('aet', { filter: { near: false } });
      expect(entries.map(({ id }) => id)).toEqual(['far']);
    });

    it('treats a zero vector as unrelated to any query', async () => {
      const embedder: Embedder = {
        ...fakeEmbedder,
        async embed(texts, options) {
          const vectors = await fakeEmbedder.embed(texts, options);
          return vectors.map((vector, n) => (texts[n] === 'nothing' ? vector.map(() => 0) : vector));
        },
      };
      const [memory, store] = [inMemory(embedder), open({ embedder })];
      for (const one of [memory, store]) {
        await one.putMany(['tea', 'nothing', 'boats', 'windows'].map((content) => ({ id: content, content })));
      }
      for (const query of ['aet', 'nothing']) {
        const [entries, expected] = [await store.search(query), await memory.search(query)];
        expect(expected).toHaveLength(4);
        expectScores(entries, expected, 1e-5, query);
      }
    });

    it('prefers the newest of equally near records', async () => {
      const store = open();
      // More than ranking considers.
      await store.putMany(Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, content: 'tea' })));
      await store.putMany(['zebra', 'fjord', 'gulf'].map((content) => ({ id: content, content })));
      const ids = (await store.search('aet', { maxSearchResults: 3 })).map(({ id }) => id);
      expect(ids).toEqual(['99', '98', '97']);
    });

    it('ranks a record without a vector by its words only', async () => {
      const { prisma } = shared.database;
      const plain = new PrismaStore({ prisma, name: 'memory', namespace: ['mixed'] });
      const other = open({ namespace: ['mixed'], embedder: { ...fakeEmbedder, id: 'other' } });
      const store = open({ namespace: ['mixed'] });
      await plain.put({ id: 'plain', content: 'old tea' });
      await other.put({ id: 'other', content: 'tea' });
      await store.putMany(['aet', 'boats', 'windows'].map((content) => ({ id: content, content })));
      const entries = await store.search('tea', { explain: true });
      const meaning = Object.fromEntries(entries.map(({ id, explanation }) => [id, explanation?.sum.meaning]));
      const some = expect.any(Number);
      expect(meaning).toEqual({ aet: some, boats: some, windows: some, plain: 0, other: 0 });
    });

    it('does not find a turn without a vector by meaning', async () => {
      const { prisma } = shared.database;
      const at = (index: number) => ({ turn: { thread: 'a', index } });
      const plain = new PrismaStore({ prisma, name: 'memory', namespace: ['beside'] });
      await plain.put({ id: 'beside', content: 'aet', ...at(1) });
      const store = open({ namespace: ['beside'] });
      await store.put({ id: 'found', content: 'aet', ...at(0) });
      await store.put({ id: 'other', content: 'windows' });
      expect((await store.search('tea')).map(({ id }) => id)).toEqual(['found', 'other']);
    });
  });
}
