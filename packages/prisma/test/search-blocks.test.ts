import type { MemoryEntry, RecordInput } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { byDay } from '@keepsake/testing/share';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../src/database/database.ts';
import { type PrismaLike, PrismaStore } from '../src/index.ts';
import { namespaceKeyOf } from '../src/stores/namespace-key.ts';
import { packAll } from '../src/stores/pack-words.ts';
import { nightlyOnSqlite, sharedDatabase } from './databases.ts';
import type { PrismaClient } from './generated/postgresql/client.ts';
import { recordingClient, type Sent } from './recording-client.ts';

const RECORDS = 5_000;
/** From common to rare. */
const WORDS = 'tea milk harbour boat paint guitar lighthouse apple garden letter window compass'.split(' ');
const QUERIES = [
  'tea milk harbour',
  'tea milk harbour boat paint guitar lighthouse apple',
  'compass',
  'compass tea',
  'tea in May 2023',
  'the milk on 8 May 2023',
  'nothing number77',
];

const ALL_FILTERS = [undefined, { half: true }, { rare: true }, { rare: true, half: { ne: true } }];
const FILTERS = byDay({ filters: [undefined, { rare: true, half: { ne: true } }] }).filters ?? ALL_FILTERS;

/** Numbers from 0 to 1 that are the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function toRecord(n: number, random: () => number): RecordInput {
  const said = WORDS.flatMap((word, rank) => {
    const times = random() < 0.5 / (1 + rank) ? 1 + Math.floor(random() ** 3 * 9) : 0;
    return Array<string>(times).fill(word);
  });
  return {
    id: `${n}`,
    content: `${said.join(' ')} number${n} ${'filler '.repeat(random() * 30)}`,
    createdAt: new Date(Date.UTC(2023, 0, 1) + (n % 300) * 86_400_000).toISOString(),
    metadata: { half: n % 2 === 0, rare: n % 500 === 7, place: n % 3 },
    ...(n % 4 === 0 ? {} : { turn: { thread: `t${n % 50}`, index: n, speaker: n % 3 === 0 ? 'Ada' : 'Ben' } }),
  };
}

const scoresOf = (entries: readonly MemoryEntry[]) =>
  Object.fromEntries(entries.map(({ id, score = 0 }) => [`${id}`, Number(score.toFixed(6))]));

/** In a statement that reads the blocks, and in one that reads the index of all words instead. */
const READS = {
  PostgreSQL: { blocks: 'keepsake_read_words', words: 'keepsake_find_words' },
  SQLite: { blocks: 'FROM "keepsake_blocks"', words: 'GROUP BY "doc"' },
};

const idsOf = (entries: readonly MemoryEntry[]) => entries.map(({ id }) => id).toSorted();

interface IndexRow {
  readonly blocks: number;
  readonly changed: number;
}

for (const kind of ['PostgreSQL', 'SQLite'] as const) {
  describe(`Search in a large namespace on ${kind}`, nightlyOnSqlite(kind), () => {
    const shared = sharedDatabase(kind);
    const reads = READS[kind];
    const memory = new InMemoryStore({ name: 'memory' });
    const random = randomNumbers(7);
    const open = (options: object = {}) =>
      new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace: ['large'], ...options });

    /** A store with a client of its own, so that it counts the records: the count of another may be a minute old. */
    const openCounting = (options: object = {}) =>
      open({ prisma: recordingClient(shared.database.prisma, []), ...options });

    const indexOf = async (): Promise<IndexRow | undefined> => {
      const [row] = await shared.database.prisma.$queryRawUnsafe<IndexRow[]>(
        `SELECT blocks, CAST((SELECT count(*) FROM keepsake_unpacked u WHERE u.number = i.number) AS integer) AS changed
        FROM keepsake_indexes i`,
      );
      return row;
    };

    const expectSame = async (store: PrismaStore) => {
      for (const query of QUERIES) {
        for (const filter of FILTERS) {
          const options = filter === undefined ? {} : { filter };
          const [entries, expected] = [await store.search(query, options), await memory.search(query, options)];
          expect(scoresOf(entries), `${query} ${JSON.stringify(filter)}`).toEqual(scoresOf(expected));
        }
      }
    };

    beforeAll(async () => {
      for (let from = 0; from < RECORDS; from += 500) {
        const records = Array.from({ length: 500 }, (_, n) => toRecord(from + n, random));
        for (const store of [open(), memory]) await store.putMany(records);
      }
    }, 120_000);

    it('finds what InMemoryStore finds, with the same scores, from blocks and the records after them', async () => {
      expect(await indexOf()).toEqual({ blocks: kind === 'SQLite' ? 4 : 2, changed: 0 });
      await expectSame(openCounting());
      const sent: Sent[] = [];
      const store = open({ prisma: recordingClient(shared.database.prisma, sent) });
      const undated = QUERIES.filter((query) => !query.includes('2023'));
      for (const query of undated) expect(await store.search(query)).not.toEqual([]);
      expect(await store.search('tea milk', { filter: { half: true } })).toHaveLength(10);
      // SQLite reads the index of all words for rare ones. PostgreSQL did not ask it.
      const rare = kind === 'SQLite' ? 2 : 0;
      expect(sent.filter(({ sql }) => sql.includes(reads.blocks))).toHaveLength(undated.length + 1 - rare);
      expect(sent.filter(({ sql }) => sql.includes(reads.words))).toHaveLength(rare);
    }, 120_000);

    it('ends between two statements if its signal is aborted', async () => {
      const { prisma } = shared.database;
      const filter = { half: true, rare: true, place: 5 };
      let sent = 0;
      let abortAt = Infinity;
      const controller = new AbortController();
      const $queryRawUnsafe: PrismaLike['$queryRawUnsafe'] = (sql, ...values) => {
        if (++sent === abortAt) controller.abort();
        return prisma.$queryRawUnsafe(sql, ...values);
      };
      const store = open({ prisma: { $queryRawUnsafe, $executeRawUnsafe: prisma.$executeRawUnsafe.bind(prisma) } });
      // The first search of a store also counts the records.
      for (const _ of [1, 2]) {
        sent = 0;
        expect(await store.search('tea milk', { filter })).toEqual([]);
      }
      const all = sent;
      expect(all).toBeGreaterThan(3);
      sent = 0;
      abortAt = all - 2;
      await expect(store.search('tea milk', { filter, signal: controller.signal })).rejects.toMatchObject({
        code: 'ABORTED',
      });
      expect(sent).toBe(abortAt);
    });

    it('finds the same with an index on a field of the filter', { tags: ['nightly'], timeout: 120_000 }, () =>
      expectSame(openCounting({ indexed: ['rare', 'half'] })),
    );

    it('finds the same after records were changed, deleted and kept out of search', {
      tags: ['nightly'],
      timeout: 120_000,
    }, async () => {
      for (let n = 0; n < 60; n++) {
        const id = Math.floor(random() * RECORDS);
        for (const store of [open(), memory]) {
          if (n % 3 === 0) await store.delete(`${id}`);
          else await store.put({ ...toRecord(id, randomNumbers(n + 1)), index: n % 5 !== 0 });
        }
      }
      const { changed = 0 } = (await indexOf()) ?? {};
      expect(changed).toBeGreaterThan(30);
      await expectSame(openCounting());
    });

    it('finds the same if blocks are written again while it searches', {
      tags: ['nightly'],
      timeout: 120_000,
    }, async () => {
      const { prisma } = shared.database;
      let rewritten = 0;
      // Each search reads the blocks first, and then the records at the places that it found in them.
      const store = open({
        prisma: {
          $queryRawUnsafe: async (sql: string, ...values: unknown[]) => {
            const rows = await prisma.$queryRawUnsafe(sql, ...values);
            if (!(sql.includes(reads.blocks) || sql.includes(reads.words)) || rewritten > 2) return rows;
            const { items } = await open().list({ order: 'oldest', limit: 5 });
            for (const { id } of items) for (const one of [open(), memory]) await one.delete(id);
            await packAll(await openDatabase(prisma, 'store'), namespaceKeyOf(['large']), 0);
            rewritten++;
            return rows;
          },
          $executeRawUnsafe: (sql: string, ...values: unknown[]) => prisma.$executeRawUnsafe(sql, ...values),
        },
      });
      for (const query of QUERIES) {
        rewritten = 0;
        const entries = await store.search(query);
        expect(rewritten).toBeGreaterThan(0);
        // The scores still are those of the records that were there when it began.
        expect(idsOf(entries), query).toEqual(idsOf(await memory.search(query)));
      }
    });

    it('leaves nothing of deleted records in the blocks after compact()', {
      tags: ['nightly'],
      timeout: 120_000,
    }, async () => {
      await open().put({ id: 'secret', content: 'sentinel4711' });
      await open().putMany(Array.from({ length: 2_048 }, (_, n) => ({ id: `more ${n}`, content: 'filler' })));
      await memory.putMany(Array.from({ length: 2_048 }, (_, n) => ({ id: `more ${n}`, content: 'filler' })));
      const words = () =>
        shared.database.prisma.$queryRawUnsafe("SELECT block FROM keepsake_postings WHERE term LIKE '%sentinel4711%'");
      expect(await words()).toHaveLength(1);
      await open().delete('secret');
      expect(await open().search('sentinel4711')).toEqual([]);
      await open().compact();
      expect(await words()).toEqual([]);
      expect(await indexOf()).toMatchObject({ changed: 0 });
      await expectSame(openCounting());
    });

    it('leaves no index of a namespace that was cleared', { tags: ['nightly'], timeout: 120_000 }, async () => {
      await open().clear();
      const { prisma } = shared.database;
      for (const table of ['indexes', 'blocks', 'postings', 'unpacked', 'indexed_fields', 'field_values']) {
        expect(await prisma.$queryRawUnsafe(`SELECT * FROM keepsake_${table} LIMIT 1`), table).toEqual([]);
      }
      await open().put({ id: 'new', content: 'tea' });
      expect((await open().search('tea')).map(({ id }) => id)).toEqual(['new']);
    });

    it('finds what InMemoryStore finds among long texts, of which few fill a block', {
      tags: ['nightly'],
      timeout: 120_000,
    }, async () => {
      const [store, expected] = [open({ namespace: ['long'] }), new InMemoryStore({ name: 'memory' })];
      const toLongText = (n: number) =>
        Array.from(
          { length: 400 },
          (_, at) => `${WORDS[(n * 7 + at * at) % (WORDS.length + (at % 50))] ?? `w${n % 90}x${at}`}`,
        );
      for (let from = 0; from < 400; from += 50) {
        const records = Array.from({ length: 50 }, (_, n) => ({
          id: `${from + n}`,
          content: toLongText(from + n).join(' '),
          createdAt: new Date(Date.UTC(2023, 0, 1) + (from + n) * 1_000).toISOString(),
        }));
        for (const one of [store, expected]) await one.putMany(records);
      }
      expect((await indexOf())?.blocks).toBeGreaterThan(1);
      const sent: Sent[] = [];
      const watched = open({ namespace: ['long'], prisma: recordingClient(shared.database.prisma, sent) });
      for (const query of ['tea milk harbour', 'compass', 'w17x39 paint']) {
        expect(scoresOf(await watched.search(query)), query).toEqual(scoresOf(await expected.search(query)));
      }
      expect(sent.filter(({ sql }) => sql.includes(reads.blocks))).toHaveLength(3);
      expect(sent.filter(({ sql }) => sql.includes(reads.words))).toEqual([]);
      await store.clear();
    });

    it('finds what InMemoryStore finds if the records of other namespaces are between those of this one', {
      tags: ['nightly'],
      timeout: 120_000,
    }, async () => {
      const [store, expected] = [open({ namespace: ['between'] }), new InMemoryStore({ name: 'memory' })];
      const other = open({ namespace: ['other'] });
      const filler = Array.from({ length: 700 }, (_, n) => ({ id: `${n}`, content: 'tea milk' }));
      for (let from = 0; from < 4_600; from += 460) {
        const records = Array.from({ length: 460 }, (_, n) => toRecord(from + n, random));
        for (const one of [store, expected]) await one.putMany(records);
        await other.putMany(filler.map(({ id, content }) => ({ id: `${from} ${id}`, content })));
      }
      expect((await indexOf())?.blocks).toBeGreaterThan(1);
      for (const query of QUERIES) {
        expect(scoresOf(await store.search(query)), query).toEqual(scoresOf(await expected.search(query)));
      }
      for (const one of [store, other]) await one.clear();
    });

    it('misses no record that another process changes while blocks are written', {
      tags: ['nightly'],
      timeout: 120_000,
    }, async () => {
      const writers = [shared.database.connect(), shared.database.connect(), shared.database.connect()];
      const write = async (prisma: PrismaClient, writer: number) => {
        const store = open({ prisma, namespace: ['busy'] });
        for (let n = 0; n < 12; n++) {
          const ids = Array.from({ length: 250 }, (_, index) => `${writer} ${n} ${index}`);
          await store.putMany(ids.map((id) => ({ id, content: `heron w${writer}n${n} first` })));
          await store.put({ id: `${writer} ${n} 0`, content: `heron w${writer}n${n} second` }, { ifVersion: 1 });
          await store.delete(`${writer} ${n} 1`);
        }
      };
      await Promise.all(writers.map(write));
      const store = open({ namespace: ['busy'] });
      for (let writer = 0; writer < 3; writer++) {
        for (let n = 0; n < 12; n++) {
          const entries = await store.search(`w${writer}n${n}`, { maxSearchResults: 1_000 });
          expect(entries).toHaveLength(249);
          expect((await store.search(`w${writer}n${n} second`))[0]?.id).toBe(`${writer} ${n} 0`);
        }
      }
    });
  });
}
