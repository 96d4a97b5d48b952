import type { SavedIndex } from '@keepsake/search';
import { expect } from 'vitest';
import { NAMESPACE, NAMESPACES, type RecordLogsCase } from './harness.ts';
import { allPages, begin, positionOf, randomPages, save, savedText, VARIANT } from './saved.ts';
import { put, remove } from './write-records.ts';

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('hex');
}

export const indexCases: readonly RecordLogsCase[] = [
  {
    title: 'there is no saved index before one is published',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      expect(await log.readIndex(VARIANT)).toBeUndefined();
      await put(log, ['a']);
      expect(await log.readIndex(VARIANT)).toBeUndefined();
      const writer = await begin(log);
      await writer.write([Buffer.from('page')]);
      expect(await open().open(NAMESPACE).readIndex(VARIANT)).toBeUndefined();
    },
  },
  {
    title: 'a published index is read byte for byte, however many pages it has',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a', 'b']);
      const sizes = [1, 3, 4, 5, 16, 17, 32, 70, 150].map((count) =>
        Array.from({ length: count }, (_, n) => 1 + n * 7),
      );
      for (const pages of [...sizes.map(randomPages), randomPages([32_768, 32_768, 1])]) {
        const writer = await begin(log);
        for (let from = 0; from < pages.length; from += 8) await writer.write(pages.slice(from, from + 8));
        const position = await positionOf(log);
        await writer.publish(position);
        const saved = (await open().open(NAMESPACE).readIndex(VARIANT)) as SavedIndex;
        expect({ log: saved.log, change: saved.change, count: saved.count }).toEqual({
          ...position,
          count: pages.length,
        });
        expect((await allPages(saved)).map(hex), `${pages.length} pages`).toEqual(pages.map(hex));
        await put(log, ['b']);
      }
    },
  },
  {
    title: 'the last page of a saved index is read with it, and any others when they are needed',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a']);
      const written = randomPages(Array.from({ length: 150 }, (_, n) => 1 + n));
      const writer = await begin(log);
      await writer.write(written);
      await writer.publish(await positionOf(log));
      const saved = (await log.readIndex(VARIANT)) as SavedIndex;
      for (const [page, bytes] of saved.pages) expect(hex(bytes)).toBe(hex(written[page]));
      expect(saved.pages.has(149)).toBe(true);
      expect(saved.pages.size, 'not all pages').toBeLessThan(100);
      const some = [3, 0, 77, 148];
      const pages = await saved.read(some);
      expect([...pages.keys()].toSorted()).toEqual(some.toSorted());
      for (const page of some) expect(hex(pages.get(page))).toBe(hex(written[page]));
    },
  },
  {
    title: 'a saved index is current only as long as nothing has changed since',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      const isCurrent = async () => (await open().open(NAMESPACE).readIndex(VARIANT))?.currentAt !== undefined;
      await put(log, ['a', 'b']);
      await save(log, 'both');
      const canTell = await isCurrent();
      const changes = {
        replaced: () => put(log, ['a']),
        added: () => put(log, ['c']),
        deleted: () => remove(log, ['b']),
        cleared: () => log.clear(),
        'cleared and filled again': () => put(log, ['a', 'b', 'c']),
      };
      for (const [what, change] of Object.entries(changes)) {
        await change();
        expect(await isCurrent(), what).toBe(false);
        // There is nothing to save.
        if (what === 'cleared') continue;
        await save(log, what);
        expect(await isCurrent(), what).toBe(canTell);
      }
    },
  },
  {
    title: 'of an index that was replaced, no page of the other one is read',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a']);
      const ids = new Set<unknown>();
      for (const round of ['first', 'second', 'third']) {
        const pages = Array.from({ length: 100 }, (_, page) => Buffer.from(`${round} ${page}`));
        const writer = await begin(log);
        await writer.write(pages);
        await writer.publish(await positionOf(log));
        const saved = (await log.readIndex(VARIANT)) as SavedIndex;
        expect(ids.has(saved.id)).toBe(false);
        ids.add(saved.id);
        await save(log, `another than the ${round}`);
        // As long as there are some, they are those of the index that was opened.
        for (const [page, bytes] of await saved.read([0, 7])) expect(hex(bytes)).toBe(hex(pages[page]));
        expect(await savedText(log)).toBe(`another than the ${round}`);
        ids.add((await log.readIndex(VARIANT))?.id);
      }
      expect(ids.size).toBe(6);
    },
  },
  {
    title: 'one process at a time saves an index, another one after it was published or discarded',
    async run({ open }) {
      const [log, other] = [open().open(NAMESPACE), open().open(NAMESPACE)];
      await put(log, ['a']);
      const first = await begin(log);
      expect(await other.writeIndex(VARIANT, Infinity)).toBeUndefined();
      expect(await log.writeIndex(VARIANT, Infinity)).toBeUndefined();
      await first.write([Buffer.from('discarded')]);
      expect(await other.writeIndex(VARIANT, Infinity)).toBeUndefined();
      await first.discard();
      expect(await savedText(other)).toBeUndefined();
      const second = await begin(other);
      expect(await log.writeIndex(VARIANT, Infinity)).toBeUndefined();
      await second.write([Buffer.from('published')]);
      await second.publish(await positionOf(other));
      await (await begin(log)).discard();
      expect(await savedText(log)).toBe('published');
    },
  },
  {
    title: 'of 8 processes that begin to save an index at once, one does',
    async run({ open }) {
      await put(open().open(NAMESPACE), ['a']);
      const logs = Array.from({ length: 8 }, () => open().open(NAMESPACE));
      const writers = await Promise.all(logs.map((log) => log.writeIndex(VARIANT, Infinity)));
      expect(writers.filter((writer) => writer !== undefined)).toHaveLength(1);
    },
  },
  {
    title: 'after the lease of a writer has ended, another process can save the index, and the former one can not',
    async run({ open, endLeases }) {
      const [log, other] = [open().open(NAMESPACE), open().open(NAMESPACE)];
      await put(log, ['a']);
      const position = await positionOf(log);
      const former = await begin(log);
      await former.write([Buffer.from('former')]);
      await endLeases();
      const writer = await begin(other);
      await writer.write([Buffer.from('first ')]);
      await expect(former.write([Buffer.from('former')])).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(former.publish(position)).rejects.toMatchObject({ code: 'CONFLICT' });
      await former.discard();
      await writer.write([Buffer.from('second')]);
      await writer.publish(position);
      expect(await savedText(log)).toBe('first second');
    },
  },
  {
    title: 'a published index replaces the one before, which is read until then',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a']);
      await save(log, 'first, and longer than the other');
      await put(log, ['b']);
      const discarded = await begin(log);
      await discarded.write([Buffer.from('discarded')]);
      expect(await savedText(log)).toBe('first, and longer than the other');
      await discarded.discard();
      expect(await savedText(log)).toBe('first, and longer than the other');
      await save(log, 'second');
      expect(await savedText(open().open(NAMESPACE))).toBe('second');
      expect((await log.readIndex(VARIANT))?.change).toBe((await positionOf(log)).change);
    },
  },
  {
    title: 'an index is not saved by a process that knows of fewer changes than the saved one has',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a']);
      const { change } = await positionOf(log);
      await put(log, ['b']);
      await save(log, 'saved');
      const latest = await positionOf(log);
      for (const known of [0, change, latest.change - 1]) {
        expect(await log.writeIndex(VARIANT, known), `known: ${known}`).toBeUndefined();
      }
      expect(await savedText(log)).toBe('saved');
      for (const known of [latest.change, latest.change + 1, Infinity]) {
        await (await begin(log, VARIANT, known)).discard();
      }
      await (await begin(log, 'other', 0)).discard();
    },
  },
  {
    title: 'the saved indexes of variants are separate',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a']);
      const position = await positionOf(log);
      const variants = [VARIANT, '["one"]', '["one",3,"de"]', '[null,null,null,[]]', '["ONE",3]'];
      const writers = [];
      for (const variant of variants) writers.push(await begin(log, variant));
      for (const [n, writer] of writers.entries()) await writer.write([Buffer.from(`${n}`)]);
      for (const writer of writers.slice(1)) await writer.publish(position);
      await writers[0]?.discard();
      const texts = await Promise.all(variants.map((variant) => savedText(log, variant)));
      expect(texts).toEqual([undefined, '1', '2', '3', '4']);
      await save(log, 'another', variants[2]);
      expect(await savedText(log, variants[1])).toBe('1');
    },
  },
  {
    title: 'the saved indexes of namespaces are separate',
    async run({ open }) {
      const logs = open();
      for (const namespace of NAMESPACES) await put(logs.open(namespace), ['a']);
      for (const [n, namespace] of NAMESPACES.entries()) await save(logs.open(namespace), `${n}`);
      await logs.open(['a']).clear();
      await (await begin(logs.open(['ab']))).discard();
      for (const [n, namespace] of NAMESPACES.entries()) {
        expect(await savedText(logs.open(namespace))).toBe(n === 1 ? undefined : `${n}`);
      }
    },
  },
];
