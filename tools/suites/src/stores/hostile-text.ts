import type { RecordInput, RecordStore } from '@keepsake/core';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it } from 'vitest';

/** Hostile ids, threads and speakers. */
const NAMES = [
  ...['"', "'", "''; DROP TABLE keepsake_records; --", '\\', '\\u0000', '\n', '\r\n', '\u2028', '\u0001', '\ufeff'],
  ...[
    '🍵',
    ' ',
    '[1,2]',
    '*',
    '%',
    '_',
    '$1',
    '?1',
    '{a}',
    '}{',
    '0',
    '-1',
    '__proto__',
    'constructor',
    'é',
    'e\u0301',
  ],
  ...['x'.repeat(512), '茶'.repeat(512), '🍵'.repeat(256), 'a:b\t%00', 'a & b | !c', 'NEAR(a b)', '"a" OR b'],
  ...['0190163d-8694-739b-aea5-966c26f8ad91', '0190163D-8694-739B-AEA5-966C26F8AD91', `content-${'0a'.repeat(32)}`],
];
/** Additional hostile text for content, metadata and filters. */
const TEXTS = [...NAMES, '\0', 'a\0b', '\ud800', '\udc00\ud800', 'a\udfffbc0', '\\ud800', '\u{10ffff}', '\uffff'];

/** The empty storage of one test. */
interface Place {
  open(): RecordStore;
  /** Also stores vectors, if the backend supports them. */
  openHybrid?(): RecordStore;
  /** Fails if deleted records left anything behind: rows, keys, terms of an index. */
  expectNothing(): Promise<void>;
}

/** Tests text that is code or a pattern in other languages, in a store with an index in a database. */
export function describeHostileText(where: string, newPlace: () => Place | Promise<Place>): void {
  describe(`Hostile text on ${where}`, () => {
    it('is returned unchanged, matches only its own filter, and leaves nothing behind', async () => {
      const place = await newPlace();
      const open = () => place.openHybrid?.() ?? place.open();
      const [one, other] = [open(), open()];
      const inputs = NAMES.map(
        (name, n): RecordInput => ({
          id: name,
          content: `tea ${n} ${name}`,
          metadata: { n, [name]: name, text: TEXTS.at(-1 - n) ?? null },
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
        expect(await one.put({ id, content: `milk ${id}`, ttlMs: 60_000 })).toMatchObject({ version: putTimes(2) });
      }
      for (const { id = '' } of inputs) expect(await one.delete(id)).toBe(true);
      await place.expectNothing();
    });

    it('in content, metadata, its keys and filters, with NUL and halves of surrogate pairs', async () => {
      const place = await newPlace();
      const [one, other] = [place.open(), place.open()];
      const inputs = TEXTS.map((text, n) => ({
        id: `${n}`,
        content: `tea${text} tea ${n}`,
        metadata: { text, [`key${text}`]: { deep: [text] } },
      }));
      for (const input of inputs) await one.put(input);
      for (const { id, content, metadata } of inputs) {
        expect(await other.get(id)).toMatchObject({ content, metadata });
        const text = metadata.text as string;
        // As many entries as records, so that matching ones can't be displaced.
        for (const filter of [{ text }, { text: { gte: text, lte: text } }]) {
          const found = await other.search('tea', { filter, maxSearchResults: 1 });
          expect(found.map((entry) => entry.id)).toEqual([id]);
          expect((await other.list({ filter, limit: 1 })).items.map((record) => record.id)).toEqual([id]);
        }
        const keyed = await other.search('tea', { filter: { [`key${text}`]: { exists: true } } });
        expect(keyed.map((entry) => entry.id)).toEqual([id]);
        await other.search(text);
      }
      const added = await one.add('tea \ud800 \0', { a: '\udc00' });
      expect((await one.add('tea \ud800 \0', { a: '\udc00' })).version).toEqual(putTimes(1));
      expect((await one.add('tea \udfff \0', { a: '\udc00' })).id).not.toBe(added.id);
      expect(await other.clear()).toBe(inputs.length + 2);
      await place.expectNothing();
    });

    it('of words that are cut in the middle of a character or have the maximum length', async () => {
      const place = await newPlace();
      const [one, other] = [place.open(), place.open()];
      const long = ['𐌰', '𐌱', '茶', 'ﷺ', 'é', 'ß', '𝒜', '한', 'ก'].flatMap((letter) =>
        ['', 'a', 'ab'].map((begin) => begin + letter.repeat(80)),
      );
      await one.put({ id: 'x', content: long.join(' ') });
      await one.put({ id: 'y', content: long.toReversed().join(' ') });
      for (const word of long) {
        const found = await other.search(word);
        expect(found.map(({ id }) => id).sort(), word).toEqual(['x', 'y']);
      }
      expect(await one.delete('x')).toBe(true);
      expect(await other.delete('y')).toBe(true);
      await place.expectNothing();
    });
  });
}
