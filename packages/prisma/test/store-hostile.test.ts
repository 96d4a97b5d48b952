import { describeHostileText } from '@keepsake/suites/stores/hostile-text';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { type Place, sharedDatabase } from './databases.ts';

for (const place of ['PostgreSQL', 'SQLite'] satisfies Place[]) {
  const shared = sharedDatabase(place);
  const open = (namespace: string[] = []) =>
    new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace });
  const rows = async (table: string) => {
    const [row] = await shared.database.prisma.$queryRawUnsafe<{ n: unknown }[]>(`SELECT count(*) AS n FROM ${table}`);
    return Number(row?.n);
  };
  const empty = () => shared.database.prisma.$executeRawUnsafe('DELETE FROM keepsake_records');

  describeHostileText(place, async () => {
    await empty();
    return {
      open,
      async expectNothing() {
        expect(await rows('keepsake_records')).toBe(0);
        if (place === 'SQLite') expect(await rows('keepsake_record_terms')).toBe(0);
      },
    };
  });

  describe(`Text and names on ${place}`, () => {
    beforeEach(async () => {
      await empty();
    });

    it('a text of a megabyte of different words is found by its first ones', async () => {
      const content = Array.from({ length: 130_000 }, (_, n) => `w${n}x`)
        .join(' ')
        .slice(0, 1_000_000);
      await open().put({ id: 'long', content });
      expect((await open().search('w17x')).map(({ id }) => id)).toEqual(['long']);
      expect((await open().get('long'))?.content).toBe(content);
    });

    it('what one namespace holds, no other sees, deletes or counts: 10,000 generated pairs', async () => {
      const segment = fc.stringMatching(/^[:*?[\]\\%_./a]{1,4}$/);
      const path = fc.array(segment, { minLength: 1, maxLength: 3 });
      const twins = fc.constantFrom(['A'], ['a'], ['é'], ['e\u0301'], ['ab'], ['a', 'b'], ['a:b'], ['a%3Ab']);
      const paths = fc.sample(fc.oneof(path, twins), { numRuns: 400, seed: 5 });
      const names = [...new Set(paths.map((one) => JSON.stringify(one)))].slice(0, 145);
      // Each with every other.
      expect((names.length * (names.length - 1)) / 2).toBeGreaterThan(10_000);
      for (const name of names) await open(JSON.parse(name)).put({ id: 'x', content: `tea of ${name}` });
      for (const name of names) {
        const store = open(JSON.parse(name));
        const content = `tea of ${name}`;
        // All others at once: whatever of theirs came through would be one more.
        expect((await store.list({ limit: 1_000 })).items.map((record) => record.content)).toEqual([content]);
        expect((await store.search('tea', { maxSearchResults: 1_000 })).map((entry) => entry.content)).toEqual([
          content,
        ]);
        expect((await store.get('x'))?.content).toBe(content);
      }
      for (const name of names) {
        expect(await open(JSON.parse(name)).clear()).toBe(1);
        expect(await open(JSON.parse(name)).get('x')).toBeUndefined();
      }
      expect(await rows('keepsake_records')).toBe(0);
    });
  });
}
