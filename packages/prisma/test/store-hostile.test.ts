import type { RecordInput } from '@keepsake/core';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { type Place, sharedDatabase } from './databases.ts';

/** What ids, threads and speakers may be. */
const NAMES = [
  ...['"', "'", "''; DROP TABLE keepsake_records; --", '\\', '\\u0000', '\n', '\u2028', '\u0001', '\ufeff', '🍵', ' '],
  ...['[1,2]', '*', '%', '_', '$1', '?1', '{a}', '0', '-1', '__proto__', 'constructor', 'é', 'e\u0301'],
  ...['x'.repeat(512), '茶'.repeat(512), '🍵'.repeat(256), 'a:b\t%00', 'a & b | !c', 'NEAR(a b)', '"a" OR b'],
];
/** What content, metadata and filters may hold beside. */
const TEXTS = [...NAMES, '\0', 'a\0b', '\ud800', '\udc00\ud800', 'a\udfffbc0', '\\ud800', '\u{10ffff}', '\uffff'];

describe.each<Place>(['PostgreSQL', 'SQLite'])('Hostile text on %s', (place) => {
  const shared = sharedDatabase(place);
  const open = (namespace: string[] = []) =>
    new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace });
  const rows = async (table: string) => {
    const [row] = await shared.database.prisma.$queryRawUnsafe<{ n: unknown }[]>(`SELECT count(*) AS n FROM ${table}`);
    return Number(row?.n);
  };

  beforeEach(async () => {
    await shared.database.prisma.$executeRawUnsafe('DELETE FROM keepsake_records');
  });

  it('comes back as it was, is found by its filter alone, and leaves nothing', async () => {
    const [one, other] = [open(), open()];
    const inputs = NAMES.map(
      (name, n): RecordInput => ({
        id: name,
        content: `tea ${n} ${name}`,
        metadata: { n, [name]: name, text: TEXTS[n] ?? null },
        turn: { thread: NAMES[(n + 1) % 5] as string, index: n, speaker: name },
      }),
    );
    await one.putMany(inputs);
    for (const [n, { id = '', content, metadata, turn }] of inputs.entries()) {
      expect(await other.get(id)).toMatchObject({ id, content, metadata, turn });
      const found = await other.search('tea', { filter: { [id]: id } });
      expect(found.map((entry) => entry.id)).toEqual([id]);
      const page = await other.list({ filter: { [id]: { in: [id] }, n } });
      expect(page.items.map((record) => record.id)).toEqual([id]);
      expect(await one.put({ id, content: `milk ${id}`, ttlMs: 60_000 })).toMatchObject({ version: 2 });
    }
    for (const { id = '' } of inputs) expect(await one.delete(id)).toBe(true);
    expect(await rows('keepsake_records')).toBe(0);
    if (place === 'SQLite') expect(await rows('keepsake_record_terms')).toBe(0);
  });

  it('in content, metadata, its keys and filters, with NUL and halves of surrogate pairs', async () => {
    const [one, other] = [open(), open()];
    const inputs = TEXTS.map((text, n) => ({
      id: `${n}`,
      content: `tea${text} tea ${n}`,
      metadata: { text, [`key${text}`]: { deep: [text] } },
    }));
    for (const input of inputs) await one.put(input);
    for (const { id, content, metadata } of inputs) {
      const text = metadata.text as string;
      expect(await other.get(id)).toMatchObject({ content, metadata });
      for (const filter of [{ text }, { text: { gte: text, lte: text } }]) {
        const found = await other.search('tea', { filter, maxSearchResults: 1 });
        expect(found.map((entry) => entry.id)).toEqual([id]);
      }
      const keyed = await other.search('tea', { filter: { [`key${text}`]: { exists: true } } });
      expect(keyed.map((entry) => entry.id)).toEqual([id]);
      await other.search(text);
    }
    expect(await other.clear()).toBe(inputs.length);
  });

  it('of words that are cut in the middle of a character, or as long as can be', async () => {
    const long = ['𐌰', '茶', 'ﷺ', 'é', 'ß', '𝒜', '한', 'ก'].flatMap((letter) =>
      ['', 'a', 'ab'].map((begin) => begin + letter.repeat(80)),
    );
    await open().put({ id: 'x', content: long.join(' ') });
    await open().put({ id: 'y', content: long.toReversed().join(' ') });
    for (const word of long) {
      const found = await open().search(word);
      expect(found.map(({ id }) => id).sort(), word).toEqual(['x', 'y']);
    }
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
      expect((await store.search('tea', { maxSearchResults: 1_000 })).map((entry) => entry.content)).toEqual([content]);
      expect((await store.get('x'))?.content).toBe(content);
    }
    for (const name of names) {
      expect(await open(JSON.parse(name)).clear()).toBe(1);
      expect(await open(JSON.parse(name)).get('x')).toBeUndefined();
    }
    expect(await rows('keepsake_records')).toBe(0);
  });
});
